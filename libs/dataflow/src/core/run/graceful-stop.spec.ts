import { setImmediate } from 'node:timers';
import { ManualClock } from '@roost/time/testing';
import { type Dataflow, DataflowStuckError, type NodeDescription } from '../index.js';
import { describeUnfinished, GracefulStop } from './graceful-stop.js';
import { deferred, RecordingLogger } from './graph.fixture.js';

/** Waits for all work that needs no time. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('describeUnfinished', () => {
  const flow = (nodes: Partial<NodeDescription>[]): Dataflow =>
    ({ describe: () => ({ nodes: nodes.map((node) => ({ queued: 0, ...node })) }) }) as unknown as Dataflow;
  const named = (count: number, rest: Partial<NodeDescription>) =>
    Array.from({ length: count }, (_, index) => ({ name: `n${index}`, ...rest }));

  it.each([
    [
      'reactions that have not settled',
      [...named(2, { running: 'take' }), ...named(3, { queued: 1 })],
      'waiting for n0.take(), n1.take()',
    ],
    ['nodes with queued events', named(2, { queued: 1 }), 'not at the stop tag yet: n0, n1'],
    ['other processes when no local node is unfinished', named(2, {}), 'waiting for nodes in other processes'],
    [
      'at most five nodes',
      named(7, { running: 'take' }),
      'waiting for n0.take(), n1.take(), n2.take(), n3.take(), n4.take(), 2 more',
    ],
  ])('names %s', (_, nodes, expected) => expect(describeUnfinished(flow(nodes))).toBe(expected));
});

describe('GracefulStop when the request fails', () => {
  it.each([
    ['stops the graph by force, with a warning', 'running', ['warn: could not request a stop of the graph: no link']],
    ['logs nothing when the run has just ended', 'stopped', []],
  ])('%s', async (_, after, warnings) => {
    const clock = new ManualClock();
    const logger = new RecordingLogger();
    let forced = '';
    const { promise: ended, resolve: end } = deferred();
    const dataflow = {
      state: 'running',
      ended,
      options: { logger },
      describe: () => ({ nodes: [] }),
      requestShutdown() {
        this.state = after;
        return Promise.reject(new Error('no link'));
      },
      forceStop: (reason: string) => {
        forced = reason;
        return Promise.resolve();
      },
    };
    const stop = new GracefulStop(dataflow as unknown as Dataflow, clock);
    const error = stop.stop({ waitMs: 500, forceMs: 200 }).catch((reason: unknown) => reason);
    await clock.advanceAsync(500);
    expect([logger.of('warn'), forced]).toEqual([warnings, 'it had not stopped after 500 ms']);
    // Other processes must learn of it before this process ends.
    expect(await Promise.race([error, settled()])).toBeUndefined();
    if (after === 'stopped') end();
    else await clock.advanceAsync(200);
    expect(await error).toBeInstanceOf(DataflowStuckError);
    expect(clock.pendingTimers).toBe(0);
  });
});
