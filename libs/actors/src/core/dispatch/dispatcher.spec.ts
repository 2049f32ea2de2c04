// Imported, because fake timers of a test runner may have replaced the global.
import { setImmediate as turn } from 'node:timers/promises';
import { settleUntil, testSystem } from '../actor-system.fixture.js';
import type { ActorRef } from '../actor-ref.js';
import { Behavior } from '../behavior.js';
import { Dispatcher, type Runnable } from './dispatcher.js';
import { Kill } from '../system-messages.js';

const { jest } = import.meta;

/** `performance.now` advances only by the cost of the test's handlers. */
let now = 0;
beforeEach(() => {
  now = 1_000;
  jest.spyOn(performance, 'now').mockImplementation(() => now);
});
afterEach(() => {
  jest.restoreAllMocks();
});

/** An actor with `messages` messages that cost `costMs` each. */
class Worker implements Runnable {
  handled = 0;
  readonly budgets: number[] = [];

  constructor(
    private readonly dispatcher: Dispatcher,
    private left: number,
    private readonly costMs: (n: number) => number,
  ) {}

  run(budget: number): number {
    this.budgets.push(budget);
    let handled = 0;
    for (; handled < budget && this.left > 0; handled++, this.left--) now += this.costMs(this.handled++);
    if (this.left > 0) this.dispatcher.enqueue(this);
    return handled;
  }
}

/** Returns the number of messages handled in each turn of the event loop. */
async function turnsOf(worker: Worker, total: number): Promise<number[]> {
  const done: number[] = [];
  let before = 0;
  while (worker.handled < total) {
    await turn();
    done.push(worker.handled - before);
    before = worker.handled;
  }
  return done;
}

describe('Dispatcher', () => {
  it('runs ready actors in a microtask, in order', async () => {
    const dispatcher = new Dispatcher();
    const order: string[] = [];
    for (const name of ['a', 'b', 'c']) dispatcher.enqueue({ run: () => (order.push(name), 1) });
    expect([order, dispatcher.isIdle]).toEqual([[], false]);
    await Promise.resolve();

    expect([order, dispatcher.isIdle]).toEqual([['a', 'b', 'c'], true]);
  });

  it('yields to the event loop every few milliseconds', async () => {
    const dispatcher = new Dispatcher();
    const worker = new Worker(dispatcher, 10_000, () => 0.01);
    dispatcher.enqueue(worker);
    const turns = await turnsOf(worker, 10_000);

    // 100 ms of work in slices of 3 ms.
    expect(turns.length).toBeGreaterThanOrEqual(25);
    expect(turns.length).toBeLessThanOrEqual(40);
    expect(Math.max(...turns) * 0.01).toBeLessThan(4);
  });

  it('checks the clock after 64 fast messages, and after each slow one', async () => {
    const dispatcher = new Dispatcher();
    const fast = new Worker(dispatcher, 1_000, () => 0.001);
    dispatcher.enqueue(fast);
    await turnsOf(fast, 1_000);
    expect(fast.budgets.slice(0, 7)).toEqual([1, 2, 4, 8, 16, 32, 64]);
    expect(Math.max(...fast.budgets)).toBe(64);

    const slow = new Worker(dispatcher, 100, () => 2);
    dispatcher.enqueue(slow);
    const turns = await turnsOf(slow, 100);
    expect(slow.budgets.at(-1)).toBe(1);
    // After the first clock check, three messages of 2 ms exceed a slice.
    expect(Math.max(...turns.slice(4))).toBeLessThanOrEqual(3);
  });

  it('checks the clock less often again when messages become fast', async () => {
    const dispatcher = new Dispatcher();
    const worker = new Worker(dispatcher, 2_000, (n) => (n < 50 ? 3 : 0.001));
    dispatcher.enqueue(worker);
    await turnsOf(worker, 2_000);

    expect(Math.min(...worker.budgets)).toBe(1);
    expect(Math.max(...worker.budgets)).toBe(64);
  });

  it('gives every actor a turn while one has a backlog', async () => {
    const dispatcher = new Dispatcher();
    const busy = new Worker(dispatcher, 100_000, () => 0.01);
    dispatcher.enqueue(busy);
    await turn();
    let ran = 0;
    dispatcher.enqueue({ run: () => ++ran });
    await turn();

    expect(ran).toBe(1);
    expect(busy.handled).toBeLessThan(100_000);
  });

  it('does not count idle time: work that arrives after a pause runs in the same turn', async () => {
    const dispatcher = new Dispatcher();
    for (let i = 0; i < 10; i++) {
      now += 1_000;
      await turn();
      let ran = 0;
      dispatcher.enqueue({ run: () => ++ran });
      await Promise.resolve();
      expect(ran).toBe(1);
    }
  });

  it('resumes an actor at once only if no other actor is waiting', async () => {
    const dispatcher = new Dispatcher();
    let ran = 0;
    const runnable: Runnable = { run: () => ++ran };

    expect([dispatcher.resume(runnable), ran]).toEqual([true, 1]);
    // The budget until the next clock check is used up.
    expect([dispatcher.resume(runnable), ran]).toEqual([false, 1]);
    dispatcher.enqueue(runnable);
    expect([dispatcher.resume(runnable), ran]).toEqual([false, 1]);
    await turn();
    expect(ran).toBe(2);
  });
});

describe('an actor system under load', () => {
  it('starves neither timers nor I/O with a backlog of synchronous handlers', async () => {
    const { system } = testSystem();
    let handled = 0;
    const ref = system.spawn(
      Behavior.receive<number>(() => {
        handled++;
        now += 0.02;
      }),
    );
    for (let n = 0; n < 20_000; n++) ref.tell(n);
    const gaps: number[] = [];
    let before = now;
    await settleUntil(() => {
      gaps.push(now - before);
      before = now;
      return handled === 20_000;
    });

    expect(gaps.length).toBeGreaterThan(60);
    // Up to two slices fit between two checks: one in microtasks and one in an immediate.
    expect(Math.max(...gaps)).toBeLessThan(13);
  });

  it('starves neither timers nor I/O with a backlog of asynchronous handlers', async () => {
    const { system } = testSystem();
    let handled = 0;
    const ref = system.spawn(
      Behavior.receive<number>(async () => {
        await Promise.resolve();
        handled++;
        now += 0.02;
      }),
    );
    for (let n = 0; n < 5_000; n++) ref.tell(n);
    const gaps: number[] = [];
    let before = now;
    await settleUntil(() => {
      gaps.push(now - before);
      before = now;
      return handled === 5_000;
    });

    expect(gaps.length).toBeGreaterThan(12);
    expect(Math.max(...gaps)).toBeLessThan(13);
  });

  it.each(['synchronous', 'asynchronous'])(
    'gives other actors their turns while two %s actors play ping-pong endlessly',
    async (kind) => {
      const { system } = testSystem();
      let rounds = 0;
      const player = Behavior.receive<{ ball: ActorRef<never> }>((ctx) => {
        rounds++;
        now += 0.02;
        const hit = (): void => ctx.sender!.tell({ ball: ctx.self }, ctx.self);
        if (kind === 'synchronous') hit();
        else return Promise.resolve().then(hit);
      });
      const [ping, pong] = [system.spawn(player), system.spawn(player)];
      ping.tell({ ball: pong }, pong);
      const seen: number[] = [];
      for (let i = 0; i < 20; i++) {
        await turn();
        seen.push(rounds);
      }
      let other = 0;
      system.spawn(Behavior.receive(() => void other++)).tell('me too');
      await turn();
      await turn();

      // The game continued in each of 20 turns of the event loop, by at most two slices per turn.
      for (let i = 1; i < seen.length; i++) expect(seen[i]).toBeGreaterThan(seen[i - 1]!);
      for (let i = 1; i < seen.length; i++) expect(seen[i]! - seen[i - 1]!).toBeLessThan(700);
      expect(other).toBe(1);
      ping.tell(Kill);
      pong.tell(Kill);
      await turn();
    },
  );

  it('gives other actors their turns while one sends to itself endlessly', async () => {
    const { system } = testSystem();
    let rounds = 0;
    const ref = system.spawn(
      Behavior.receive<string>((ctx, message) => {
        rounds++;
        now += 0.01;
        ctx.self.tell(message);
      }),
    );
    ref.tell('again');
    await turn();
    const first = rounds;
    await turn();

    expect(first).toBeGreaterThan(0);
    expect(rounds).toBeGreaterThan(first);
    ref.tell(Kill);
    await ref.whenTerminated();
  });
});

describe('an actor that lets an error escape', () => {
  it('does not keep other actors from their turns', async () => {
    const dispatcher = new Dispatcher();
    const good = new Worker(dispatcher, 1, () => 0);
    const bad: Runnable = {
      run: () => {
        throw new Error('a bug');
      },
    };
    // Simulates the middle of a slice, in which nothing else wakes the dispatcher.
    dispatcher['awake'] = true;
    dispatcher.enqueue(bad);
    dispatcher.enqueue(good);

    expect(() => dispatcher['drain']()).toThrow('a bug');
    await turn();
    expect(good.handled).toBe(1);
  });
});
