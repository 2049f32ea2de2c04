import fc from 'fast-check';
import type { Clock, Timer } from '../clock.js';
import { InvalidDurationError } from '../errors/invalid-duration.error.js';
import { sleep } from '../sleep.js';
import { ManualClock } from './manual-clock.js';
import { NaiveClock } from './naive-clock.fixture.js';

const { jest } = import.meta;

/** A clock and a log. `log('a')` returns a callback that writes `a@<monotonic>`. */
const setup = () => {
  const clock = new ManualClock();
  const lines: string[] = [];
  const log = (name: string) => () => void lines.push(`${name}@${clock.monotonic()}`);
  return { clock, lines, log };
};

const alreadyMoving = expect.objectContaining({ code: 'TIME_ALREADY_MOVING' }) as Error;

describe('ManualClock', () => {
  it('stands still until it is moved', () => {
    const clock = new ManualClock();

    expect([clock.now(), clock.monotonic(), clock.pendingTimers, clock.nextTimerInMs]).toEqual([0, 0, 0, undefined]);
  });

  it('starts its wall clock at `now`, and moves both clocks alike', () => {
    const clock = new ManualClock({ now: 1_700_000_000_000 });

    clock.advance(250);

    expect(clock.now()).toBe(1_700_000_000_250);
    expect(clock.monotonic()).toBe(250);
  });

  it('jumps the wall clock either way without moving monotonic time or timers', () => {
    const { clock, lines, log } = setup();
    clock.setTimer(100, log('a'));

    clock.jumpWall(5000);
    expect([clock.now(), clock.monotonic(), clock.nextTimerInMs]).toEqual([5000, 0, 100]);
    clock.jumpWall(-9000);
    expect([clock.now(), clock.monotonic(), clock.nextTimerInMs]).toEqual([-4000, 0, 100]);
    clock.advance(100);
    expect(lines).toEqual(['a@100']);
    expect(clock.now()).toBe(-3900);
  });

  it.each([-1, NaN, Infinity, '5' as unknown as number])('refuses %p as a delay or a move', async (bad) => {
    const clock = new ManualClock();

    expect(() => clock.setTimer(bad, () => undefined)).toThrow(InvalidDurationError);
    expect(() => clock.advance(bad)).toThrow(InvalidDurationError);
    await expect(clock.advanceAsync(bad)).rejects.toThrow(InvalidDurationError);
    expect(() => clock.advance(0)).not.toThrow();
  });

  it.each([NaN, Infinity])('refuses %p as a wall-clock start or jump', (bad) => {
    expect(() => new ManualClock({ now: bad })).toThrow(InvalidDurationError);
    expect(() => new ManualClock().jumpWall(bad)).toThrow(InvalidDurationError);
  });

  it('returns the number of pending timers and the time until the next', () => {
    const { clock, log } = setup();
    clock.setTimer(30, log('a'));
    const first = clock.setTimer(10, log('b'));

    expect([clock.pendingTimers, clock.nextTimerInMs]).toEqual([2, 10]);
    first.cancel();
    expect([clock.pendingTimers, clock.nextTimerInMs]).toEqual([1, 30]);
    clock.advance(5);
    expect(clock.nextTimerInMs).toBe(25);
    clock.advance(25);
    expect([clock.pendingTimers, clock.nextTimerInMs]).toEqual([0, undefined]);
  });
});

describe('ManualClock.advance', () => {
  it('runs timers by due time, then by creation, each at its own time', () => {
    const { clock, lines, log } = setup();
    clock.setTimer(20, log('late'));
    clock.setTimer(10, log('first'));
    clock.setTimer(10, log('second'));

    clock.advance(50);

    expect(lines).toEqual(['first@10', 'second@10', 'late@20']);
    expect(clock.monotonic()).toBe(50);
  });

  it('shows a callback the wall-clock time at which it is due', () => {
    const clock = new ManualClock({ now: 1000 });
    const seen: number[] = [];
    clock.setTimer(10, () => seen.push(clock.now()));

    clock.advance(50);

    expect(seen).toEqual([1010]);
  });

  it('runs a timer due exactly at the end and none after it', () => {
    const { clock, lines, log } = setup();
    clock.setTimer(10, log('at'));
    clock.setTimer(11, log('after'));

    clock.advance(10);

    expect(lines).toEqual(['at@10']);
    expect(clock.pendingTimers).toBe(1);
  });

  it('runs a timer of 0 ms on advance(0), never inside setTimer', () => {
    const { clock, lines, log } = setup();
    clock.setTimer(0, log('a'));
    expect(lines).toEqual([]);

    clock.advance(0);

    expect(lines).toEqual(['a@0']);
  });

  it('runs timers set by callbacks if they are due by the end', () => {
    const { clock, lines, log } = setup();
    const tick = () => {
      log('tick')();
      clock.setTimer(10, tick);
    };
    clock.setTimer(10, tick);

    clock.advance(35);

    expect(lines).toEqual(['tick@10', 'tick@20', 'tick@30']);
    expect(clock.nextTimerInMs).toBe(5);
  });

  it('does not run a timer that an earlier callback cancels', () => {
    const { clock, lines, log } = setup();
    clock.setTimer(10, () => victim.cancel());
    const victim = clock.setTimer(10, log('victim'));

    clock.advance(10);

    expect(lines).toEqual([]);
  });

  it('ignores a second cancel and a cancel after firing', () => {
    const { clock, lines, log } = setup();
    const fired = clock.setTimer(10, log('fired'));
    const cancelled = clock.setTimer(20, log('cancelled'));
    clock.setTimer(30, log('other'));
    clock.advance(10);

    fired.cancel();
    cancelled.cancel();
    cancelled.cancel();

    expect(clock.pendingTimers).toBe(1);
    clock.advance(20);
    expect(lines).toEqual(['fired@10', 'other@30']);
  });

  it('runs the remaining timers and reaches the end when callbacks throw, then rethrows the first error', () => {
    const { clock, lines, log } = setup();
    const first = new Error('first');
    clock.setTimer(10, () => {
      throw first;
    });
    clock.setTimer(20, () => {
      throw new Error('second');
    });
    clock.setTimer(30, log('last'));

    expect(() => clock.advance(50)).toThrow(first);
    expect(lines).toEqual(['last@30']);
    expect(clock.monotonic()).toBe(50);
  });

  it('rethrows a thrown undefined', () => {
    const clock = new ManualClock();
    clock.setTimer(10, () => {
      // eslint-disable-next-line @typescript-eslint/only-throw-error -- that is the case under test
      throw undefined;
    });
    let threw = false;

    try {
      clock.advance(10);
    } catch {
      threw = true;
    }

    expect(threw).toBe(true);
  });

  it('refuses to be called from a timer callback, and works again afterwards', () => {
    const { clock, lines, log } = setup();
    clock.setTimer(10, () => clock.advance(5));
    clock.setTimer(20, log('b'));

    expect(() => clock.advance(20)).toThrow(alreadyMoving);
    expect(lines).toEqual(['b@20']);
    expect(clock.monotonic()).toBe(20);
    clock.advance(1);
    expect(clock.monotonic()).toBe(21);
  });

  it('throws when a callback keeps setting timers of 0 ms', () => {
    const clock = new ManualClock();
    const again = () => void clock.setTimer(0, again);
    again();

    expect(() => clock.advance(1)).toThrow('Look for a callback or loop that keeps setting a timer of 0 ms');
  });

  it('lets a timer re-arm itself any number of times as long as time moves', () => {
    const clock = new ManualClock();
    let ticks = 0;
    const tick = () => {
      ticks++;
      clock.setTimer(1, tick);
    };
    clock.setTimer(1, tick);

    clock.advance(1_100_000);

    expect(ticks).toBe(1_100_000);
  });

  it('handles 100,000 timers of which half are cancelled', () => {
    const clock = new ManualClock();
    const count = 100_000;
    const ran: number[] = [];
    // 7919 is coprime to the count, so this visits every delay once, far from sorted order.
    const timers = Array.from({ length: count }, (_, i) => {
      const delayMs = (i * 7919) % count;
      return { delayMs, timer: clock.setTimer(delayMs, () => ran.push(delayMs)) };
    });
    for (const { delayMs, timer } of timers) if (delayMs % 2 === 1) timer.cancel();
    expect(clock.pendingTimers).toBe(count / 2);

    clock.advance(count);

    expect(ran).toEqual(Array.from({ length: count / 2 }, (_, i) => 2 * i));
  });
});

describe('ManualClock.advanceAsync', () => {
  it('runs code that awaits and then sets the next timer', async () => {
    const { clock, lines, log } = setup();
    const work = async () => {
      for (const name of ['a', 'b', 'c', 'd']) {
        await sleep(10, { clock });
        log(name)();
      }
    };
    const working = work();

    await clock.advanceAsync(35);
    expect(lines).toEqual(['a@10', 'b@20', 'c@30']);
    expect(clock.monotonic()).toBe(35);
    await clock.advanceAsync(5);
    await working;
  });

  it('lets promises settle before the first timer, between timers and after the last', async () => {
    const { clock, lines, log } = setup();
    const settled = (name: string) => void Promise.resolve().then(log(name));
    settled('before');
    for (const [i, delayMs] of [10, 10, 20].entries()) {
      clock.setTimer(delayMs, () => {
        log(`timer${i}`)();
        settled(`settled${i}`);
      });
    }

    await clock.advanceAsync(50);

    expect(lines).toEqual([
      'before@0',
      ...['timer0@10', 'settled0@10', 'timer1@10', 'settled1@10', 'timer2@20', 'settled2@20'],
    ]);
  });

  it('runs a timer that a promise sets ahead of the first pending one', async () => {
    const { clock, lines, log } = setup();
    clock.setTimer(20, log('b'));
    void Promise.resolve().then(() => clock.setTimer(10, log('a')));

    await clock.advanceAsync(20);

    expect(lines).toEqual(['a@10', 'b@20']);
  });

  it('waits for promise chains of any length', async () => {
    const { clock, lines, log } = setup();
    const chain = async () => {
      for (let i = 0; i < 10_000; i++) await Promise.resolve();
      clock.setTimer(10, log('after chain'));
    };
    clock.setTimer(10, () => void chain());

    await clock.advanceAsync(20);

    expect(lines).toEqual(['after chain@20']);
  });

  it("works with the test runner's fake timers", async () => {
    jest.useFakeTimers();
    try {
      const { clock, lines, log } = setup();
      void sleep(10, { clock }).then(log('a'));

      await clock.advanceAsync(10);

      expect(lines).toEqual(['a@10']);
    } finally {
      jest.useRealTimers();
    }
  });

  it('runs the remaining timers and reaches the end when callbacks throw, then rejects with the first error', async () => {
    const { clock, lines, log } = setup();
    const first = new Error('first');
    clock.setTimer(10, () => {
      throw first;
    });
    clock.setTimer(20, () => {
      throw new Error('second');
    });
    clock.setTimer(30, log('last'));

    await expect(clock.advanceAsync(50)).rejects.toBe(first);
    expect(lines).toEqual(['last@30']);
    expect(clock.monotonic()).toBe(50);
  });

  it('refuses every other move until it has finished', async () => {
    const clock = new ManualClock();
    const moving = clock.advanceAsync(10);

    expect(() => clock.advance(1)).toThrow(alreadyMoving);
    expect(() => clock.runNext()).toThrow(alreadyMoving);
    await expect(clock.advanceAsync(1)).rejects.toThrow(
      'ManualClock.advanceAsync() was called while advanceAsync() is still running',
    );
    await expect(clock.runNextAsync()).rejects.toEqual(alreadyMoving);
    await moving;
    expect(clock.monotonic()).toBe(10);
    expect(() => clock.advance(1)).not.toThrow();
  });
});

describe('ManualClock.runNext', () => {
  it('returns false and does not move when no timer is pending', async () => {
    const clock = new ManualClock();

    expect(clock.runNext()).toBe(false);
    expect(await clock.runNextAsync()).toBe(false);
    expect(clock.monotonic()).toBe(0);
  });

  it('jumps to the next timer and runs only one, even if two are due', () => {
    const { clock, lines, log } = setup();
    clock.setTimer(10, log('a'));
    clock.setTimer(10, log('b'));

    expect(clock.runNext()).toBe(true);
    expect(lines).toEqual(['a@10']);
    expect(clock.nextTimerInMs).toBe(0);
    expect(clock.runNext()).toBe(true);
    expect(lines).toEqual(['a@10', 'b@10']);
    expect(clock.runNext()).toBe(false);
  });

  it('rethrows the error of the callback and counts the timer as fired', () => {
    const clock = new ManualClock();
    const error = new Error('broken');
    clock.setTimer(10, () => {
      throw error;
    });

    expect(() => clock.runNext()).toThrow(error);
    expect([clock.pendingTimers, clock.monotonic()]).toEqual([0, 10]);
  });

  it('refuses to be called from a timer callback', () => {
    const clock = new ManualClock();
    clock.setTimer(10, () => void clock.runNext());
    clock.setTimer(10, () => undefined);

    expect(() => clock.runNext()).toThrow(alreadyMoving);
    expect(clock.pendingTimers).toBe(1);
  });

  it('lets promises settle before and after the timer in its async form', async () => {
    const { clock, lines, log } = setup();
    void Promise.resolve().then(() => clock.setTimer(10, () => void Promise.resolve().then(log('a'))));

    expect(await clock.runNextAsync()).toBe(true);
    expect(lines).toEqual(['a@10']);
  });
});

describe('ManualClock, compared with a model that searches a plain list', () => {
  /** Actions of a timer when it fires: cancel one of the timers set so far, then set others. */
  interface Plan {
    delayMs: number;
    cancels: number | null;
    sets: Plan[];
  }
  interface Program {
    plans: Plan[];
    cancels: number[];
    movesMs: number[];
  }
  type After = (then: () => void) => void;

  const delayMs = fc.nat({ max: 20 });
  const planThatSets = (sets: fc.Arbitrary<Plan[]>): fc.Arbitrary<Plan> =>
    fc.record({ delayMs, cancels: fc.option(fc.nat()), sets });
  const grandchild = planThatSets(fc.constant([]));
  const child = planThatSets(fc.array(grandchild, { maxLength: 2 }));
  const plan = planThatSets(fc.array(child, { maxLength: 3 }));
  const program = fc.record({
    plans: fc.array(plan, { maxLength: 30 }),
    cancels: fc.array(fc.nat(), { maxLength: 10 }),
    movesMs: fc.array(delayMs, { maxLength: 8 }),
  });

  const immediately: After = (then) => then();
  const inPromise: After = (then) => void Promise.resolve().then(then);

  /** Sets the program's timers on a clock and returns the log they will write. */
  const start = ({ plans, cancels }: Program, clock: Clock, after: After): string[] => {
    const log: string[] = [];
    const timers: Timer[] = [];
    const cancel = (n: number) => timers[n % timers.length]?.cancel();
    const set = ({ delayMs, cancels, sets }: Plan): void => {
      const id = timers.length;
      const callback = () => {
        log.push(`${id}@${clock.monotonic()}`);
        after(() => {
          if (cancels !== null) cancel(cancels);
          sets.forEach(set);
        });
      };
      timers.push(clock.setTimer(delayMs, callback));
    };
    plans.forEach(set);
    cancels.forEach(cancel);
    return log;
  };

  const modelOf = (program: Program) => {
    const clock = new NaiveClock();
    const log = start(program, clock, immediately);
    for (const ms of program.movesMs) clock.advance(ms);
    return { log, pending: clock.pendingTimers, time: clock.monotonic() };
  };

  it('runs the same timers in the same order with advance', () => {
    fc.assert(
      fc.property(program, (program) => {
        const clock = new ManualClock();
        const log = start(program, clock, immediately);
        for (const ms of program.movesMs) clock.advance(ms);

        expect({ log, pending: clock.pendingTimers, time: clock.monotonic() }).toEqual(modelOf(program));
      }),
      { numRuns: 300 },
    );
  });

  it('runs the same timers in the same order with advanceAsync, even if callbacks continue in a promise', async () => {
    await fc.assert(
      fc.asyncProperty(program, async (program) => {
        const clock = new ManualClock();
        const log = start(program, clock, inPromise);
        for (const ms of program.movesMs) await clock.advanceAsync(ms);

        expect({ log, pending: clock.pendingTimers, time: clock.monotonic() }).toEqual(modelOf(program));
      }),
    );
  });

  it('runs the same timers in the same order with runNext', () => {
    fc.assert(
      fc.property(program, (program) => {
        const clock = new ManualClock();
        const log = start(program, clock, immediately);
        while (clock.runNext());

        expect(log).toEqual(modelOf({ ...program, movesMs: [100_000] }).log);
      }),
    );
  });
});
