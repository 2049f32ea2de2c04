import { deferred } from '@roost/kernel';
import { never, setup } from '../workers.fixture.js';
import type { RunToken } from './run-token.js';

describe('Workers.describeInFlight', () => {
  it('says nothing when nothing is in flight', () => {
    expect(setup().workers.describeInFlight()).toBe('nothing');
  });

  it('shows the step, and the holds with their duration', async () => {
    const { clock, workers, run } = setup();
    const { token } = run(never, { name: 'consumer' });
    for (let step = 0; step < 1042; step++) token.isRunning();
    expect(workers.describeInFlight()).toBe('consumer: step 1042');
    token.hold('order 42');
    await clock.advanceAsync(3_200);
    expect(workers.describeInFlight()).toBe('consumer: step 1042 (order 42 for 3.2 s)');
  });

  it('shows the duration of work without steps, and the holds of a function that returned', async () => {
    const { clock, workers, run } = setup();
    void workers.runGracefully(never, { name: 'mail' });
    run((token) => void token.hold('cache'), { name: 'warmer' });
    await clock.advanceAsync(120);
    expect(workers.describeInFlight()).toBe('mail: for 120 ms, warmer: held by cache for 120 ms');
  });

  it('shows the items of a consume()', async () => {
    const { clock, workers, run, settle } = setup();
    const { token } = run(never, { name: 'poller' });
    const feed = deferred<IteratorResult<number>>();
    const results = [
      { done: false, value: 1 },
      { done: false, value: 2 },
    ] as IteratorResult<number>[];
    const source = {
      [Symbol.asyncIterator]: () => ({
        next: () => (results.length > 0 ? Promise.resolve(results.shift()!) : feed.promise),
      }),
    };
    const ends = [deferred(), deferred()];
    void token.consume(source, (item) => ends[item - 1]!.promise, { concurrency: 3 });
    await settle();
    await clock.advanceAsync(2_000);
    expect(workers.describeInFlight()).toBe('poller: 2 items in flight, oldest for 2 s');
    expect(workers.describe()).toMatchObject([{ itemsInFlight: 2 }]);
    expect(workers.inFlight).toBe(2);

    ends[0]!.resolve();
    await settle();
    expect(workers.describeInFlight()).toBe('poller: 1 item in flight, oldest for 2 s');
    ends[1]!.resolve();
    await settle();
    expect(workers.describeInFlight()).toBe('poller: waiting for items');
    expect(workers.inFlight).toBe(0);

    token.hold('batch');
    workers.requestStop();
    expect(workers.describeInFlight()).toBe('poller: waiting for its source; pass the signal to it (batch for 0 ms)');
  });

  it('sums the items of several consume() calls', async () => {
    const { clock, workers, run, settle } = setup();
    const { token } = run(never);
    const blocked = { [Symbol.asyncIterator]: () => ({ next: never }) };
    void token.consume(blocked, never);
    void token.consume([1], never);
    await clock.advanceAsync(5);
    void token.consume([1], never);
    await settle();
    expect(workers.describeInFlight()).toBe('worker: 2 items in flight, oldest for 5 ms');
  });

  it('shows earlier runs with holds', async () => {
    const { clock, workers, run } = setup();
    let runs = 0;
    run((token) => {
      if (++runs > 1) return never();
      token.hold('old');
      throw new Error('x');
    });
    await clock.advanceAsync(100);
    expect(workers.describeInFlight()).toBe('worker: held by old for 100 ms and for 0 ms');
  });

  it('fits on one line, however many runs there are', async () => {
    const { clock, workers, run } = setup();
    for (let n = 0; n < 6; n++) void workers.runGracefully(never, { name: 'mail' });
    for (let n = 0; n < 6; n++) run((token) => void token.hold(`file ${n}`), { name: `w${n}` });
    await clock.advanceAsync(10);
    expect(workers.describeInFlight()).toBe(
      'mail: 6 concurrent runs, oldest for 10 ms, w0: held by file 0 for 10 ms, w1: held by file 1 for 10 ms, ' +
        'w2: held by file 2 for 10 ms, w3: held by file 3 for 10 ms and 2 more',
    );
  });
});

describe('Workers.inFlight', () => {
  it('counts processes in a step, runGracefully work and holds, but not a waiting process', async () => {
    const { clock, workers, run } = setup();
    expect(workers.inFlight).toBe(0);
    const { token } = run(never);
    expect(workers.inFlight).toBe(1);
    void token.sleep(100);
    expect(workers.inFlight).toBe(0);
    token.hold();
    expect(workers.inFlight).toBe(1);
    void workers.runGracefully(never);
    expect(workers.inFlight).toBe(2);
    // The process is in a step again, which the hold describes.
    await clock.advanceAsync(100);
    expect(workers.inFlight).toBe(2);
  });
});

describe('Workers.describe', () => {
  it('lists the processes in the order in which they were added', () => {
    const { workers } = setup();
    workers.add({ name: 'b', handle: never });
    workers.add({ name: 'a', handle: never });
    expect(workers.describe()).toEqual(
      ['b', 'a'].map((name) => ({
        name,
        state: 'ready',
        steps: 0,
        restarts: 0,
        crashLoop: false,
        holds: [],
        itemsInFlight: 0,
        inFlight: 0,
        sinceMs: 0,
      })),
    );
  });

  it('counts the work that a shutdown would wait for', () => {
    const { workers } = setup();
    let token!: RunToken;
    workers.add({ name: 'a', handle: (run) => ((token = run), never()) });
    workers.start();
    const inFlight = () => workers.describe()[0]!.inFlight;

    expect(inFlight()).toBe(1);
    token.hold('order 42');
    token.hold('order 43');
    expect(inFlight()).toBe(2);
  });
});
