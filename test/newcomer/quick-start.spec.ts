import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../support/brokers.js';
import { codeBlocks } from '../support/markdown.js';
import { tempDir } from '../support/temp-dir.js';
import { readText, ROOT } from '../support/workspace.js';
import { Terminal } from './terminal.js';

const blocks = codeBlocks(readText('docs/quick-start.md'));
const commands = blocks.filter(({ language }) => language === 'sh').map(({ code }) => code.trim());
const sources = blocks.filter(({ name }) => name !== undefined);
/** The page wraps long lines with an indent of four spaces. */
const [promised = ''] = blocks
  .filter(({ language }) => language === 'text')
  .map(({ code }) => code.replaceAll(/\n {4}(?=\S)/g, ' '));

const folder = await tempDir();
const project = join(folder.path, 'fresh');

/** The log lines of the shutdown, without the prefix of Nest's logger and with all times replaced. */
const farewell = (output: string): string[] =>
  output
    .slice(output.indexOf('LOG [CoordinatedShutdown] shutdown started'))
    .trimEnd()
    .split('\n')
    .map((line) =>
      line
        .replace(/^\[Nest\].*? (?=LOG )/, '')
        .replace(/\d+(\.\d+)? m?s\b/g, '<time>')
        .replace(/ +/g, ' '),
    )
    // The number of progress lines depends on timing.
    .filter((line) => !line.includes('waiting for '));

afterEach(() => Terminal.closeAll());
afterAll(() => folder.remove());

describe('Quick start', () => {
  it('shows the shutdown log of a project created with the Nest CLI', async () => {
    const [pack = '', install = '', buildAndStart = '', ask = ''] = commands;
    const nest = join(ROOT, 'node_modules/.bin/nest');
    await Terminal.run([nest, 'new', 'fresh', '--skip-git', '--skip-install', '-p', 'npm'], folder.path);

    const [build = '', ...packing] = pack.replaceAll('../my-app', project).split('\n');
    // This repository is already built.
    expect(build).toBe('npm ci && npm run build');
    await Terminal.run(['sh', '-c', packing.join(' && ')], ROOT);
    // Also installs the dependencies of the project, which `nest new` skipped.
    await Terminal.run(['sh', '-c', install], project);
    for (const { name, code } of sources) await writeFile(join(project, 'src', name!), code);
    const [compile = '', start = ''] = buildAndStart.split(' && ');
    await Terminal.run(compile.split(' '), project);
    const port = String(await freePort());
    const app = new Terminal(start.split(' '), project, { PORT: port });
    await app.until(/application successfully started/);

    const report = new Terminal(ask.replace('3000', port).split(' '), project);
    await app.until(/writing a report/);
    app.ctrlC();
    expect(await report.end()).toEqual({ code: 0, signal: null });
    expect(report.output).toContain('the report');
    expect(await app.end()).toEqual({ code: 0, signal: null });
    expect(farewell(app.output)).toEqual(farewell(promised));
  }, 400_000);
});
