import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { codeBlocks } from '../support/markdown.js';
import { tempDir } from '../support/temp-dir.js';
import { readText, ROOT } from '../support/workspace.js';
import { Terminal } from './terminal.js';

/** `npm ci && npm start`, as shown in the README. */
const [install = '', start = ''] = codeBlocks(readText('README.md'))
  .flatMap(({ code }) => code.split('\n'))
  .find((line) => line.includes('npm start'))!
  .replace(/\s*#.*/, '')
  .split(' && ');

const folder = await tempDir();
const clone = join(folder.path, 'roost');

afterEach(() => Terminal.closeAll());
afterAll(() => folder.remove());

/** Returns the server's response, without curl's progress output. */
const paste = async (line: string): Promise<unknown> =>
  JSON.parse(/\{.*\}/s.exec(await Terminal.run(['sh', '-c', line], clone))![0]);

describe('a fresh clone of the repository', () => {
  it('installs, starts the demo, runs the printed commands and stops on Ctrl+C', async () => {
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
    expect(await paste(addItem)).toMatchObject({ lines: [{ sku: 'tea', quantity: 2 }] });
    const order = (await paste(checkOut)) as { id: string };
    expect(order).toMatchObject({ lines: [{ sku: 'tea', quantity: 2 }] });
    expect(await paste(statistics)).toMatchObject({ orders: 1, sold: { tea: 2 } });
    demo.ctrlC();

    expect(await demo.end()).toEqual({ code: 0, signal: null });
    const farewell = demo.output.slice(demo.output.indexOf('shutdown started'));
    expect(farewell).toMatch(/process-terminate \(SIGINT\)/);
    expect(farewell).toMatch(/phase service-requests-done completed in \d/);
    expect(farewell).toMatch(/shutdown completed in \d.*exit code 0/);
    expect(await readFile(join(clone, 'data/shop/orders.jsonl'), 'utf8')).toContain(order.id);
  }, 400_000);
});
