import { AppProcess } from '../../support/app-process.js';

afterEach(() => AppProcess.killAll());

const FIXTURES = '.tsout/test/e2e/actors/fixtures';

describe('a process with actors', () => {
  it('does not grow over a million spawned and stopped actors', async () => {
    const app = new AppProcess(`${FIXTURES}/memory.js`, { nodeArgs: ['--expose-gc'], args: ['10', '100000'] });

    await app.line(/^done$/);

    const heaps = app.lines(/^heap/).map((line) => Number(/^heap (\d+)/.exec(line)![1]));
    expect(heaps).toHaveLength(10);
    expect(app.lines(/^heap/).at(-1)).toMatch(/ stopped 1000000 left 0$/);
    // If 900,000 actors leaked a hundred bytes each, this would be 90 MB.
    expect(heaps.at(-1)! - heaps[0]!).toBeLessThan(4_000_000);
  }, 60_000);

  it('exits when all asks are answered and nothing else keeps it alive', async () => {
    const app = new AppProcess(`${FIXTURES}/asked.js`);

    expect(await app.end()).toEqual({ code: 0, signal: null });
    expect(app.lines(/./)).toEqual(['hello world', 'hello nobody']);
  });
});
