import fc from 'fast-check';
import { internalsOf } from '../internals.js';
import { advance, recorder, settle, testSystem } from '../actor-system.fixture.js';
import { Behavior } from '../behavior.js';
import { Props } from '../props.js';
import { Terminated } from '../signals.js';
import { Kill } from '../system-messages.js';
import { Throttle } from './throttle.js';

/** An actor that records `message@time`. */
function throttled(messages: number, perMs: number) {
  const test = testSystem();
  const log: string[] = [];
  const behavior = Behavior.receive<string | number>((_ctx, message) => {
    log.push(`${message}@${test.clock.monotonic()}`);
    if (message === 'fail') throw new Error('asked to');
  });
  const ref = test.system.spawn(Props.of(behavior, { throttle: { messages, perMs } }), 'slow');
  return { ...test, ref, log };
}

describe('Throttle', () => {
  it('admits as many messages as allowed, and never more, in any sliding period', () => {
    const steps = fc.array(fc.integer({ min: 0, max: 30 }), { minLength: 1, maxLength: 200 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 50 }), steps, (messages, perMs, pauses) => {
        const throttle = new Throttle({ messages, perMs });
        const passed: number[] = [];
        let now = 0;
        for (const pause of pauses) {
          now += pause;
          const inWindow = passed.filter((time) => time > now - perMs);
          const waitMs = throttle.admit(now);
          if (inWindow.length < messages) {
            expect(waitMs).toBe(0);
            passed.push(now);
          } else {
            // Waits no longer than necessary.
            expect(waitMs).toBe(inWindow.at(-messages)! + perMs - now);
            expect(waitMs).toBeGreaterThan(0);
          }
        }
      }),
    );
  });
});

describe('an actor with a throttle', () => {
  it('handles a burst at once and the rest as the window allows', async () => {
    const test = throttled(2, 100);
    for (const n of [1, 2, 3, 4, 5]) test.ref.tell(n);
    await settle();
    expect(test.log).toEqual(['1@0', '2@0']);
    await advance(test, 30);
    test.ref.tell(6);
    await advance(test, 270);

    expect(test.log).toEqual(['1@0', '2@0', '3@100', '4@100', '5@200', '6@200']);
    expect(internalsOf(test.system).alarms.size).toBe(0);
  });

  it('slides its window', async () => {
    const test = throttled(2, 100);
    test.ref.tell('a');
    await advance(test, 60);
    test.ref.tell('b');
    test.ref.tell('c');
    test.ref.tell('d');
    await advance(test, 200);

    expect(test.log).toEqual(['a@0', 'b@60', 'c@100', 'd@160']);
  });

  it('stays within its limit for any sequence, loses nothing and keeps the order', () => {
    const limit = fc.record({ messages: fc.integer({ min: 1, max: 4 }), perMs: fc.integer({ min: 1, max: 20 }) });
    const pauses = fc.array(fc.integer({ min: 0, max: 15 }), { maxLength: 25 });
    return fc.assert(
      fc.asyncProperty(limit, pauses, async ({ messages, perMs }, gaps) => {
        const { system, clock } = testSystem();
        const times: number[] = [];
        const order: number[] = [];
        const behavior = Behavior.receive<number>((_ctx, n) => {
          order.push(n);
          times.push(clock.monotonic());
          return n % 3 === 0 ? Promise.resolve() : undefined;
        });
        const ref = system.spawn(Props.of(behavior, { throttle: { messages, perMs } }));
        for (const [n, gap] of gaps.entries()) {
          ref.tell(n);
          if (gap > 5) await advance({ clock }, gap);
        }
        await advance({ clock }, perMs * (gaps.length + 1));
        expect(order).toEqual([...gaps.keys()]);
        times.forEach((time, i) => {
          const before = times[i - messages];
          if (before !== undefined) expect(time - before).toBeGreaterThanOrEqual(perMs);
        });
      }),
      { numRuns: 40 },
    );
  });

  it('stops at once when no messages remain', async () => {
    const { ref, log, clock } = throttled(1, 60_000);
    ref.tell('a');
    await settle();
    ref.stop();
    await ref.whenTerminated();

    expect([log, clock.monotonic()]).toEqual([['a@0'], 0]);
  });

  it('handles the messages sent before its stop at its own pace', async () => {
    const test = throttled(1, 100);
    for (const n of [1, 2, 3]) test.ref.tell(n);
    test.ref.stop();
    await advance(test, 200);
    await test.ref.whenTerminated();

    expect(test.log).toEqual(['1@0', '2@100', '3@200']);
    await settle();
    expect(test.clock.pendingTimers).toBe(0);
  });

  it('handles signals at once', async () => {
    const { system } = testSystem();
    const signals: unknown[] = [];
    const other = system.spawn(recorder());
    const behavior = Behavior.receive<string>((ctx) => ctx.watch(other)).onSignal((_ctx, signal) => {
      if (signal instanceof Terminated) signals.push(signal);
    });
    const ref = system.spawn(Props.of(behavior, { throttle: { messages: 1, perMs: 60_000 } }));
    ref.tell('watch');
    await settle();
    other.stop();
    await settle();

    expect(signals).toHaveLength(1);
  });

  it('keeps its limit across a restart', async () => {
    const test = throttled(2, 100);
    for (const message of ['a', 'fail', 'b', 'c']) test.ref.tell(message);
    await advance(test, 300);

    expect(test.log).toEqual(['a@0', 'fail@0', 'b@100', 'c@100']);
  });

  it('leaves no alarm when it is killed while waiting', async () => {
    const { ref, clock, deadLetters } = throttled(1, 1_000);
    for (const n of [1, 2, 3]) ref.tell(n);
    await settle();
    ref.tell(Kill);
    await ref.whenTerminated();
    await settle();

    expect(clock.pendingTimers).toBe(0);
    expect(deadLetters.map(({ message }) => message)).toEqual([2, 3]);
  });
});
