import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../support/brokers.js';
import { codeBlocks } from '../support/markdown.js';
import { tempDir } from '../support/temp-dir.js';
import { packagesIn, readText, ROOT } from '../support/workspace.js';
import { Terminal } from './terminal.js';

const blocks = codeBlocks(readText('docs/quick-start.md'));
const commands = blocks.filter(({ language }) => language === 'sh').map(({ code }) => code.trim());
const sources = blocks.filter(({ name }) => name !== undefined);
const [promised = ''] = blocks.filter(({ language }) => language === 'text').map(({ code }) => code);

const folder = await tempDir();
const project = join(folder.path, 'fresh');

/** The packages as npm would have them, by file: what is in this repository is not published yet. */
async function pack(): Promise<string[]> {
  const workspaces = packagesIn('libs').flatMap(({ dir }) => ['--workspace', dir]);
  const args = ['npm', 'pack', '--json', '--pack-destination', folder.path, ...workspaces];
  const output = await Terminal.run(args, ROOT);
  const packed = JSON.parse(output.slice(output.search(/^[[{]/m))) as Record<string, { filename: string }>;
  return Object.values(packed).map(({ filename }) => join(folder.path, filename));
}

/** Lines from the start of the shutdown on, without the prefix of Nest's logger, and with times that are all the same. */
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
    // How often it says that it waits depends on the time.
    .filter((line) => !line.includes('waiting for '));

afterEach(() => Terminal.closeAll());
afterAll(() => folder.remove());

describe('somebody who follows the Quick start', () => {
  it('in a project that the Nest CLI has made has the shutdown that it shows', async () => {
    const [install = '', buildAndStart = '', ask = ''] = commands;
    const nest = join(ROOT, 'node_modules/.bin/nest');
    await Terminal.run([nest, 'new', 'fresh', '--skip-git', '--skip-install', '-p', 'npm'], folder.path);

    const others = install.split(' ').filter((word) => !word.startsWith('@roost/'));
    expect(others.join(' ')).toBe('npm install @nestjs/terminus');
    // Also what the project has by itself, which `nest new` installs unless it is told not to.
    await Terminal.run([...others, ...(await pack())], project);
    for (const { name, code } of sources) await writeFile(join(project, 'src', name!), code);
    const [build = '', start = ''] = buildAndStart.split(' && ');
    await Terminal.run(build.split(' '), project);
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
