import { outcomeOf } from '../workers.fixture.js';
import { bootFleet } from './fleet.fixture.js';

describe('Fleet.restart', () => {
  /** Lets one child be replaced. */
  const replaceOne = async ({ children, settle }: Awaited<ReturnType<typeof bootFleet>>) => {
    children.last.ready();
    await settle();
    children.alive.find(({ stops }) => stops.length > 0)!.exit(0);
    await settle();
  };

  it('replaces all children, one at a time', async () => {
    const set = await bootFleet();
    const done = outcomeOf(set.fleet.restart());

    await replaceOne(set);
    expect(done.status).toBe('pending');
    await replaceOne(set);

    expect(done.status).toBe('resolved');
    expect(set.children.alive.map(({ pid }) => pid)).toEqual([3, 4]);
    expect(set.logger.lines[0]).toBe('log: rolling restart of 2 x jobs started, one child at a time');
    expect(set.logger.lines.at(-1)).toBe('log: rolling restart completed in 0 ms');
  });

  it('runs once more when it is called again during a restart, however often', async () => {
    const set = await bootFleet();
    const both = [outcomeOf(set.fleet.restart()), outcomeOf(set.fleet.restart()), outcomeOf(set.fleet.restart())];

    for (const _ of [1, 2]) await replaceOne(set);
    expect(both.map(({ status }) => status)).toEqual(['pending', 'pending', 'pending']);
    for (const _ of [1, 2]) await replaceOne(set);

    expect(both.map(({ status }) => status)).toEqual(['resolved', 'resolved', 'resolved']);
    expect(set.children.alive.map(({ pid }) => pid)).toEqual([5, 6]);
  });

  it('is aborted when a successor does not come up, and can be repeated', async () => {
    const set = await bootFleet();
    const first = outcomeOf(set.fleet.restart());
    set.children.last.exit(1, 'bad config');
    await set.settle();

    expect(first.status).toBe('resolved');
    expect(set.logger.of('error')).toEqual([
      'error: rolling restart aborted after 0 ms: jobs#1 (pid 3) ended with exit code 1 before it took over:\n' +
        'bad config\nThe remaining children keep running the old version.',
    ]);
    const second = outcomeOf(set.fleet.restart());
    await replaceOne(set);
    await replaceOne(set);
    expect(second.status).toBe('resolved');
  });

  it('ends silently when the fleet is stopped', async () => {
    const { fleet, children, settle, logger } = await bootFleet();
    const restarted = outcomeOf(fleet.restart());
    void fleet.stop();
    await settle();
    for (const child of children.alive) child.exit(0);
    await settle();

    expect([restarted.status, children.all.length]).toEqual(['resolved', 3]);
    expect(logger.lines.filter((line) => /rolling restart (completed|given up)/.test(line))).toEqual([]);
  });
});

describe('Fleet on SIGHUP', () => {
  it.each([false, true])('restarts the children, with or without a terminal (%p)', async (isThere) => {
    const { process, children, settle } = await bootFleet({}, { terminal: { isThere } });

    process.emit('SIGHUP', 'SIGHUP');
    await settle();

    expect([children.all.length, process.exits]).toEqual([3, []]);
  });

  it('stops when its terminal has closed', async () => {
    const terminal = { isThere: true };
    const { fleet, children, process, settle } = await bootFleet({}, { terminal });

    terminal.isThere = false;
    process.emit('SIGHUP', 'SIGHUP');
    await settle();
    for (const child of children.alive) child.exit(0);
    await settle();

    expect([String(fleet.shutdown.reason), children.all.length, process.exits]).toEqual([
      'process-terminate (SIGHUP)',
      2,
      [0],
    ]);
  });
});
