import { AppProcess, type AppResult } from '../../support/app-process.js';

const { jest } = import.meta;
jest.setTimeout(30_000);
afterEach(() => AppProcess.killAll());

const NAMES = ['coordinator', 'left', 'right'] as const;
type Name = (typeof NAMES)[number];
type Processes = Record<Name, AppProcess>;

const start = (...args: string[]): AppProcess =>
  new AppProcess('.tsout/test/e2e/dataflow/fixtures/process-app.js', { args });

/** Starts a graph in three processes, and waits until values arrive. */
const flowing = async (): Promise<Processes> => {
  const coordinator = start('coordinator');
  const address = (await coordinator.line(/^listening /)).slice('listening '.length);
  const processes = { coordinator, left: start('left', address), right: start('right', address) };
  await processes.right.line(/^flowing$/);
  return processes;
};

const endOf = async (processes: Processes): Promise<Record<Name, AppResult>> => {
  const [coordinator, left, right] = await Promise.all(NAMES.map((name) => processes[name].end()));
  return { coordinator: coordinator!, left: left!, right: right! };
};

const exit = (code: number): AppResult => ({ code, signal: null });

describe('shutdown of a graph in several processes', () => {
  it.each(['coordinator', 'left'] as const)(
    'stops all processes once after SIGTERM to %s, loses nothing in flight, and exits with 0 everywhere',
    async (name) => {
      const processes = await flowing();
      processes[name].kill('SIGTERM');

      expect(await endOf(processes)).toEqual({ coordinator: exit(0), left: exit(0), right: exit(0) });
      const [sent] = processes.left.lines(/^sent \d+$/);
      const [handled] = processes.right.lines(/^handled \d+$/);
      expect(sent!.slice('sent '.length)).toBe(handled!.slice('handled '.length));
      for (const other of NAMES) {
        const reason = other === name ? 'process-terminate (SIGTERM)' : 'dataflow-ended (stopped)';
        expect(processes[other].output).toContain(`shutdown started: ${reason}`);
        expect(processes[other].lines(/^status /)).toEqual(['status stopped']);
      }
    },
  );

  it('exits with 0 everywhere after SIGINT to all, as with Ctrl+C', async () => {
    const processes = await flowing();
    for (const name of NAMES) processes[name].kill('SIGINT');

    expect(await endOf(processes)).toEqual({ coordinator: exit(0), left: exit(0), right: exit(0) });
  });

  it('exits with the code of a failing node everywhere', async () => {
    const processes = await flowing();
    processes.right.send('order fail');

    expect(await endOf(processes)).toEqual({ coordinator: exit(42), left: exit(42), right: exit(42) });
    for (const name of NAMES) expect(processes[name].output).toContain('the cup is broken');
  });

  it('ends all processes in time with 1 when a reaction in another process never settles', async () => {
    const processes = await flowing();
    processes.right.send('order hang');
    await processes.right.line(/^got hang$/);
    const began = Date.now();
    processes.left.kill('SIGTERM');

    const ends = await endOf(processes);
    for (const name of NAMES) {
      expect(ends[name]).toEqual(exit(1));
      expect(processes[name].output).toContain('it had not stopped after 1 s');
    }
    expect(processes.left.lines(/^sent /)).toHaveLength(1);
    expect(processes.right.lines(/^handled /)).toHaveLength(1);
    expect(Date.now() - began).toBeLessThan(8_000);
  });

  it('ends the other processes with 1 after SIGKILL to one', async () => {
    const processes = await flowing();
    processes.left.kill('SIGKILL');

    const ends = await endOf(processes);
    expect([ends.coordinator, ends.right]).toEqual([exit(1), exit(1)]);
    expect(processes.coordinator.output).toContain('"left"');
  });
});

describe('a process that waits for the others to join', () => {
  it.each(['coordinator', 'left'] as const)('(%s) exits immediately on SIGTERM', async (name) => {
    const coordinator = start('coordinator');
    const address = (await coordinator.line(/^listening /)).slice('listening '.length);
    const waiting = name === 'left' ? start('left', address) : coordinator;
    await waiting.line(/^ready$/);
    const began = Date.now();
    waiting.kill('SIGTERM');

    expect(await waiting.end()).toEqual(exit(0));
    expect(Date.now() - began).toBeLessThan(900);
  });
});
