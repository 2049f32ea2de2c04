import { systemClock } from '@roost/time';
import { ManualClock } from '@roost/time/testing';
import fc from 'fast-check';
import { settle } from '../actor-system.fixture.js';
import { Alarm, AlarmClock, BriefAlarm, CallbackAlarm } from './alarm-clock.js';

const setup = () => {
  const clock = new ManualClock();
  const alarms = new AlarmClock(clock);
  const rung: string[] = [];
  const alarm = (name: string, then: () => void = () => undefined) =>
    new CallbackAlarm(() => {
      rung.push(`${name}@${clock.monotonic()}`);
      then();
    });
  return { clock, alarms, rung, alarm };
};

/** Further action of a ringing alarm. */
type OnRing = { readonly set: number } | { readonly cancel: number } | undefined;
type Command =
  { readonly set: number; readonly onRing: OnRing } | { readonly cancel: number } | { readonly advance: number };

interface Timing {
  set(name: number, delayMs: number, ring: () => void): void;
  cancel(name: number): void;
  advance(ms: number): void;
  readonly now: number;
  readonly size: number;
}

class Real implements Timing {
  readonly #clock = new ManualClock();
  readonly #alarms = new AlarmClock(this.#clock);
  readonly #byName = new Map<number, Alarm>();
  set(name: number, delayMs: number, ring: () => void): void {
    const alarm = new CallbackAlarm(ring);
    this.#byName.set(name, alarm);
    this.#alarms.set(alarm, delayMs);
  }
  cancel(name: number): void {
    const alarm = this.#byName.get(name);
    if (alarm) this.#alarms.cancel(alarm);
  }
  advance(ms: number): void {
    this.#clock.advance(ms);
  }
  get now(): number {
    return this.#clock.monotonic();
  }
  get size(): number {
    return this.#alarms.size;
  }
}

/** A reference implementation, as simple as possible. */
class Naive implements Timing {
  now = 0;
  #set: { name: number; dueAt: number; ring: () => void }[] = [];
  set(name: number, delayMs: number, ring: () => void): void {
    this.#set.push({ name, dueAt: this.now + delayMs, ring });
  }
  cancel(name: number): void {
    this.#set = this.#set.filter((one) => one.name !== name);
  }
  advance(ms: number): void {
    const end = this.now + ms;
    for (;;) {
      const next = [...this.#set].sort((a, b) => a.dueAt - b.dueAt)[0];
      if (!next || next.dueAt > end) break;
      this.now = next.dueAt;
      this.#set = this.#set.filter((one) => one !== next);
      next.ring();
    }
    this.now = end;
  }
  get size(): number {
    return this.#set.length;
  }
}

function play(timing: Timing, commands: readonly Command[]): string[] {
  const log: string[] = [];
  let names = 0;
  const set = (delayMs: number, onRing: OnRing): void => {
    const name = names++;
    timing.set(name, delayMs, () => {
      log.push(`${name}@${timing.now}`);
      if (!onRing) return;
      if ('set' in onRing) set(onRing.set, undefined);
      else timing.cancel(onRing.cancel);
    });
  };
  for (const command of commands) {
    if ('set' in command) set(command.set, command.onRing);
    else if ('cancel' in command) timing.cancel(command.cancel);
    else timing.advance(command.advance);
    log.push(`${timing.size} set`);
  }
  timing.advance(1_000);
  log.push(`${timing.size} set`);
  return log;
}

describe('AlarmClock', () => {
  it('rings the same alarms at the same times and in the same order as a naive list', () => {
    const delay = fc.integer({ min: 0, max: 20 });
    const name = fc.integer({ min: 0, max: 300 });
    const onRing = fc.option(fc.oneof(fc.record({ set: delay }), fc.record({ cancel: name })), { nil: undefined });
    const command: fc.Arbitrary<Command> = fc.oneof(
      { weight: 6, arbitrary: fc.record({ set: delay, onRing }) },
      { weight: 3, arbitrary: fc.record({ cancel: name }) },
      { weight: 1, arbitrary: fc.record({ advance: fc.integer({ min: 0, max: 12 }) }) },
    );
    fc.assert(
      fc.property(fc.array(command, { maxLength: 400, size: 'max' }), (commands) => {
        expect(play(new Real(), commands)).toEqual(play(new Naive(), commands));
      }),
      { numRuns: 200 },
    );
  });

  it('uses one timer of the clock, for the next alarm', () => {
    const { clock, alarms, alarm } = setup();
    for (const delay of [30, 10, 20]) alarms.set(alarm('x'), delay);

    expect([clock.pendingTimers, clock.nextTimerInMs]).toEqual([1, 10]);
    clock.advance(10);
    expect([clock.pendingTimers, clock.nextTimerInMs]).toEqual([1, 10]);
    clock.advance(20);
    expect([clock.pendingTimers, alarms.size]).toEqual([0, 0]);
  });

  it('never rings early when the clock wakes it slightly early', () => {
    const { clock, rung, alarm } = setup();
    let early = 0.25;
    const hasty = {
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
      setTimer: (ms: number, callback: () => void) => {
        const timer = clock.setTimer(ms - early, callback);
        early = 0;
        return timer;
      },
    };
    const alarms = new AlarmClock(hasty);
    alarms.set(alarm('a'), 10);

    clock.advance(9.75);
    expect(rung).toEqual([]);
    clock.advance(1);
    expect(rung).toEqual(['a@10']);
  });

  it('rings an alarm in the past soon, but not before setAt() returns', () => {
    const { clock, alarms, rung, alarm } = setup();
    clock.advance(100);
    alarms.setAt(alarm('late'), 50);

    expect(rung).toEqual([]);
    clock.advance(0);
    expect(rung).toEqual(['late@100']);
  });

  it('does not block other work when an alarm keeps setting itself for now', () => {
    const { clock, alarms, rung } = setup();
    let times = 0;
    const again: CallbackAlarm = new CallbackAlarm(() => {
      if (++times < 1_000) alarms.set(again, 0);
    });
    alarms.set(again, 10);
    alarms.set(new CallbackAlarm(() => rung.push(`other after ${times}`)), 10);

    clock.runNext();
    expect([rung, times]).toEqual([['other after 1'], 1]);
    clock.runNext();
    expect(times).toBe(2);
    clock.advance(0);
    expect(times).toBe(1_000);
  });

  it('does not ring an alarm that a ringing one cancels, even for the same time', () => {
    const { clock, alarms, rung, alarm } = setup();
    const second = alarm('second');
    alarms.set(
      alarm('first', () => alarms.cancel(second)),
      10,
    );
    alarms.set(second, 10);
    clock.advance(10);

    expect(rung).toEqual(['first@10']);
    expect(alarms.size).toBe(0);
  });

  it('does not ring an alarm that one ringing alarm sets for now and another cancels', () => {
    const { clock, alarms, rung, alarm } = setup();
    const set = alarm('set by the first');
    alarms.set(
      alarm('first', () => alarms.set(set, 0)),
      10,
    );
    alarms.set(
      alarm('second', () => alarms.cancel(set)),
      10,
    );
    alarms.set(alarm('third'), 20);
    clock.advance(100);

    expect(rung).toEqual(['first@10', 'second@10', 'third@20']);
    expect([alarms.size, clock.pendingTimers]).toEqual([0, 0]);
  });

  it('ignores the cancellation of an alarm that is not set', () => {
    const { clock, alarms, rung, alarm } = setup();
    const a = alarm('a');
    alarms.cancel(a);
    alarms.set(a, 5);
    alarms.set(alarm('b'), 5);
    clock.advance(5);
    alarms.cancel(a);
    alarms.cancel(a);

    expect(rung).toEqual(['a@5', 'b@5']);
    expect(alarms.size).toBe(0);
  });

  it('does not accumulate cancelled alarms', () => {
    const { alarms, alarm } = setup();
    alarms.set(alarm('kept'), 1_000);
    for (let i = 0; i < 10_000; i++) {
      const one = alarm('x');
      alarms.set(one, 500 + (i % 7));
      alarms.cancel(one);
    }

    expect(alarms.size).toBe(1);
    expect((alarms as unknown as { heap: { size: number } }).heap.size).toBeLessThanOrEqual(128);
  });

  it('releases its timer one turn after the last alarm was cancelled', async () => {
    const { clock, alarms, alarm } = setup();
    const [a, b] = [alarm('a'), alarm('b')];
    alarms.set(a, 1_000);
    alarms.set(b, 2_000);
    alarms.cancel(a);
    alarms.cancel(b);
    expect(clock.pendingTimers).toBe(1);

    await settle(1);
    expect(clock.pendingTimers).toBe(0);
  });

  it('keeps its timer when another alarm is set in that turn', async () => {
    const { clock, alarms, rung, alarm } = setup();
    const a = alarm('a');
    alarms.set(a, 1_000);
    alarms.cancel(a);
    alarms.set(alarm('b'), 2_000);
    await settle(1);
    clock.advance(2_000);

    expect(rung).toEqual(['b@2000']);
    expect(clock.pendingTimers).toBe(0);
  });

  it('rings nothing after close(), and abandons alarms that were set', () => {
    const { clock, alarms, rung, alarm } = setup();
    const told: string[] = [];
    class Told extends CallbackAlarm {
      override abandon(): void {
        told.push('abandoned');
      }
    }
    const cancelled = new Told(() => undefined);
    alarms.set(new Told(() => undefined), 10);
    alarms.set(cancelled, 10);
    alarms.set(alarm('plain'), 20);
    alarms.cancel(cancelled);
    alarms.close();
    alarms.set(alarm('after'), 0);
    clock.advance(100);

    expect(rung).toEqual([]);
    expect(told).toEqual(['abandoned']);
    expect([alarms.size, clock.pendingTimers]).toEqual([0, 0]);
  });

  it('can be closed by a ringing alarm', () => {
    const { clock, alarms, rung, alarm } = setup();
    alarms.set(
      alarm('first', () => alarms.close()),
      10,
    );
    alarms.set(alarm('second'), 10);
    alarms.set(alarm('third'), 20);
    clock.advance(100);

    expect(rung).toEqual(['first@10']);
    expect([alarms.size, clock.pendingTimers]).toEqual([0, 0]);
  });
});

describe('brief alarms', () => {
  class Brief extends BriefAlarm {
    constructor(
      delayMs: number,
      readonly onRing: () => void = () => undefined,
      readonly onAbandon: () => void = () => undefined,
    ) {
      super(delayMs);
    }
    ring(): void {
      this.onRing();
    }
    override abandon(): void {
      this.onAbandon();
    }
  }
  /** An alarm clock in real time, and whether its timer is armed. */
  const onSystemClock = () => {
    const alarms = new AlarmClock(systemClock);
    return { alarms, armed: () => (alarms as unknown as { timer: unknown }).timer !== undefined };
  };

  it('ring like other alarms, never early', async () => {
    const { alarms, armed } = onSystemClock();
    const started = systemClock.monotonic();
    const order: string[] = [];
    await new Promise<void>((resolve) => {
      alarms.setBrief(new Brief(3, () => (order.push('second'), resolve())));
      alarms.setBrief(new Brief(1, () => void order.push('first')));
      expect(alarms.size).toBe(1);
    });

    expect(order).toEqual(['first', 'second']);
    expect(systemClock.monotonic() - started).toBeGreaterThanOrEqual(3);
    expect([alarms.size, armed()]).toEqual([0, false]);
  });

  it('set no timer when they are cancelled in the same turn', async () => {
    const { alarms, armed } = onSystemClock();
    for (let i = 0; i < 1_000; i++) {
      const one = new Brief(60_000);
      alarms.setBrief(one);
      alarms.cancel(one);
    }
    expect([alarms.size, armed()]).toEqual([0, false]);
    await settle(2);

    expect([alarms.size, armed()]).toEqual([0, false]);
  });

  it('do not accumulate within a turn, and those not cancelled stay set', async () => {
    const { alarms } = onSystemClock();
    let rang = 0;
    const kept = Array.from({ length: 100 }, () => new Brief(1, () => void rang++));
    for (const one of kept) {
      alarms.setBrief(one);
      for (let i = 0; i < 100; i++) {
        const other = new Brief(1, () => void rang++);
        alarms.setBrief(other);
        alarms.cancel(other);
      }
    }
    expect(alarms.size).toBe(1);
    expect((alarms as unknown as { batch: { alarms: unknown[] } }).batch.alarms.length).toBeLessThan(500);
    await new Promise<void>((resolve) => alarms.set(new CallbackAlarm(resolve), 20));

    expect([rang, alarms.size]).toEqual([100, 0]);
  });

  it('of one turn share one timer, ring each at its time, and skip cancelled ones', async () => {
    const { alarms } = onSystemClock();
    const rang: string[] = [];
    const cancelled = new Brief(2, () => void rang.push('cancelled'));
    for (const ms of [4, 1]) alarms.setBrief(new Brief(ms, () => void rang.push(`${ms} ms`)));
    alarms.setBrief(cancelled);
    await settle(1);
    expect(alarms.size).toBe(1);
    alarms.cancel(cancelled);
    await new Promise<void>((resolve) => alarms.set(new CallbackAlarm(resolve), 20));

    expect([rang, alarms.size]).toEqual([['1 ms', '4 ms'], 0]);
  });

  it('release the timer when they are cancelled in a later turn', async () => {
    const { alarms, armed } = onSystemClock();
    const one = new Brief(60_000);
    alarms.setBrief(one);
    await settle(1);
    expect([alarms.size, armed()]).toEqual([1, true]);
    alarms.cancel(one);
    await settle(1);

    expect([alarms.size, armed()]).toEqual([0, false]);
  });

  it('are abandoned by close(), before or after the turn ends, and cannot be set afterwards', async () => {
    const { alarms, armed } = onSystemClock();
    let told = 0;
    const count = (): void => void told++;
    alarms.setBrief(new Brief(60_000, undefined, count));
    await settle(1);
    alarms.setBrief(new Brief(60_000, undefined, count));
    alarms.close();
    alarms.setBrief(new Brief(0, count));
    await settle(2);

    expect([told, alarms.size, armed()]).toEqual([2, 0, false]);
  });
});
