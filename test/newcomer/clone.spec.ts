import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { codeBlocks } from '../support/markdown.js';
import { tempDir } from '../support/temp-dir.js';
import { readText, ROOT } from '../support/workspace.js';
import { Terminal } from './terminal.js';

/** `npm ci && npm start`, as it stands in the README. */
const [install = '', start = ''] = codeBlocks(readText('README.md'))
  .flatMap(({ code }) => code.split('\n'))
  .find((line) => line.includes('npm start'))!
  .replace(/\s*#.*/, '')
  .split(' && ');

const folder = await tempDir();
const clone = join(folder.path, 'roost');

afterEach(() => Terminal.closeAll());
afterAll(() => folder.remove());

describe('somebody who clones the repository', () => {
  it('installs it, starts the demo, tries what it says and stops it with Ctrl+C', async () => {
    await Terminal.run(['git', 'clone', '--quiet', ROOT, clone], folder.path);
    expect([install, start]).toEqual(['npm ci', 'npm start']);
    await Terminal.run(install.split(' '), clone);
    const demo = new Terminal(start.split(' '), clone, { PORT: '0' });
    const [, address = ''] = await demo.until(/listens on (http:\S+)/);
    await demo.until(/Ctrl\+C/);

    const [addItem = '', checkOut = '', statistics = '', ...more] = demo.output
      .split('\n')
      .filter((line) => /^\s*curl .*http/.test(line) && line.includes(address));
    expect(more).toEqual([]);
    expect(JSON.parse(await Terminal.run(['sh', '-c', addItem], clone))).toMatchObject({});
    const order = JSON.parse(await Terminal.run(['sh', '-c', checkOut], clone)) as { id: string };
    expect(order.id).toMatch(/^[\w-]{36}$/);
    expect(JSON.parse(await Terminal.run(['sh', '-c', statistics], clone))).toMatchObject({ orders: 1 });
    demo.ctrlC();

    expect(await demo.end()).toEqual({ code: 0, signal: null });
    const farewell = demo.output.slice(demo.output.indexOf('shutdown started'));
    expect(farewell).toMatch(/process-terminate \(SIGINT\)/);
    expect(farewell).toMatch(/phase service-requests-done completed in \d/);
    expect(farewell).toMatch(/shutdown completed in \d.*exit code 0/);
    expect(await readFile(join(clone, 'data/shop/orders.jsonl'), 'utf8')).toContain(order.id);
  }, 400_000);
});
