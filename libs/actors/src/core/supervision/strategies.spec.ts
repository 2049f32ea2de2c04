import { ManualClock } from '@roost/time/testing';
import { InvalidActorOptionError } from '../errors/invalid-actor-option.error.js';
import { allForOne } from './all-for-one.strategy.js';
import { Directive } from './directive.js';
import { exponentialBackoff } from './exponential-backoff.strategy.js';
import type { SupervisionOptions } from './limited-restarts.js';
import { oneForOne } from './one-for-one.strategy.js';
import { RestartRecord } from './restart-record.js';
import type { ActorFailure, SupervisionDecision, SupervisionStrategy } from './strategy.js';

class DatabaseError extends Error {}
class DeadlockError extends DatabaseError {}

const clock = new ManualClock();

const failure = (part: Partial<ActorFailure> = {}): ActorFailure => ({
  error: new Error('boom'),
  actor: null as never,
  restarts: new RestartRecord(clock),
  random: () => 0,
  canResume: true,
  canEscalate: true,
  ...part,
});

const decide = (strategy: SupervisionStrategy, part: Partial<ActorFailure> = {}): SupervisionDecision =>
  strategy.decide(failure(part)) as SupervisionDecision;

const directiveOf = (strategy: SupervisionStrategy, error: unknown): Directive => decide(strategy, { error }).directive;

/** Returns the decisions on failures at these times. A restart takes no time. */
function decisionsAt(strategy: SupervisionStrategy, ...times: number[]): string[] {
  const ownClock = new ManualClock();
  const restarts = new RestartRecord(ownClock);
  return times.map((time) => {
    ownClock.advance(time - ownClock.monotonic());
    const { directive, delayMs } = decide(strategy, { restarts });
    if (directive === Directive.Restart) {
      restarts.begin();
      restarts.finish();
    }
    return delayMs ? `${directive} after ${delayMs}` : directive;
  });
}

describe('supervision strategies', () => {
  it.each([
    ['oneForOne', oneForOne()],
    ['allForOne', allForOne()],
  ])('restart ten times a minute without delay by default: %s', (_name, strategy) => {
    const eleven = Array.from({ length: 11 }, (_, n) => n);

    expect(decisionsAt(strategy, ...eleven, 59_999, 60_000, 60_000, 60_001)).toEqual([
      ...Array.from({ length: 10 }, () => 'restart'),
      'stop',
      'stop',
      'restart',
      'stop',
      'restart',
    ]);
  });

  it('include siblings with allForOne only', () => {
    expect(decide(allForOne()).includesSiblings).toBe(true);
    expect(decide(allForOne({ decide: () => Directive.Stop })).includesSiblings).toBe(true);
    expect(decide(oneForOne()).includesSiblings ?? false).toBe(false);
    expect(decide(exponentialBackoff()).includesSiblings ?? false).toBe(false);
  });

  it('restart without a limit with exponentialBackoff, after delays that double up to 30 s', () => {
    const times = Array.from({ length: 10 }, () => 0);

    expect(decisionsAt(exponentialBackoff(), ...times)).toEqual(
      [200, 400, 800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000, 30_000].map((ms) => `restart after ${ms}`),
    );
    expect(decide(exponentialBackoff(), { random: () => 0.5 }).delayMs).toBe(180);
  });

  it('start with the shortest delay again after the actor has run for resetAfterMs', () => {
    expect(decisionsAt(exponentialBackoff({ minMs: 10, maxMs: 40, jitter: 0 }), 0, 1, 40, 80)).toEqual([
      'restart after 10',
      'restart after 20',
      'restart after 40',
      'restart after 10',
    ]);
  });

  it('accept a limit, a window and a decider with exponentialBackoff', () => {
    expect(decisionsAt(exponentialBackoff({ maxRetries: 1, windowMs: 5, minMs: 1 }), 0, 4, 5)).toEqual([
      'restart after 1',
      'stop',
      'restart after 2',
    ]);
    expect(directiveOf(exponentialBackoff({ decide: () => Directive.Escalate }), 'any')).toBe(Directive.Escalate);
  });

  it('give a reason when they stop instead of restarting', () => {
    expect(decide(oneForOne({ maxRetries: 0, windowMs: 60_000 }))).toEqual({
      directive: Directive.Stop,
      reason: 'more than 0 restarts within 1 m',
    });
  });

  it('keep no times of unlimited restarts', () => {
    const restarts = { count: 0, inARow: () => 0, within: () => Infinity };

    expect(decide(oneForOne({ maxRetries: Infinity }), { restarts }).directive).toBe(Directive.Restart);
  });

  it('decide by the first matching class', () => {
    const strategy = oneForOne({
      decide: [
        [DeadlockError, Directive.Resume],
        [DatabaseError, Directive.Stop],
        [Error, Directive.Escalate],
        [DeadlockError, Directive.Restart],
      ],
    });

    expect(directiveOf(strategy, new DeadlockError())).toBe(Directive.Resume);
    expect(directiveOf(strategy, new DatabaseError())).toBe(Directive.Stop);
    expect(directiveOf(strategy, new TypeError())).toBe(Directive.Escalate);
    expect(directiveOf(strategy, 'no error at all')).toBe(Directive.Restart);
  });

  it('decide by a function, and restart when it returns nothing', () => {
    const strategy = oneForOne({ decide: (error) => (error === 'stop' ? Directive.Stop : undefined) });

    expect([directiveOf(strategy, 'stop'), directiveOf(strategy, 'else')]).toEqual([Directive.Stop, Directive.Restart]);
  });

  it.each([
    ['Resume', 'canResume'],
    ['Escalate', 'canEscalate'],
  ] as const)('restart within their limit when they cannot %s', (directive, can) => {
    const strategy = (maxRetries: number) => oneForOne({ maxRetries, decide: () => Directive[directive] });

    expect(decide(strategy(1), { [can]: false }).directive).toBe(Directive.Restart);
    expect(decide(strategy(0), { [can]: false }).directive).toBe(Directive.Stop);
    expect(decide(strategy(0)).directive).toBe(Directive[directive]);
  });

  it('reject an answer that is not a directive', () => {
    const strategy = oneForOne({ decide: () => 'reboot' as Directive });

    expect(() => decide(strategy)).toThrow(InvalidActorOptionError);
  });

  it.each<[string, unknown]>([
    ['a negative number of retries', { maxRetries: -1 }],
    ['half a retry', { maxRetries: 0.5 }],
    ['a string for maxRetries', { maxRetries: '3' }],
    ['a window of 0', { windowMs: 0 }],
    ['NaN as the window', { windowMs: NaN }],
    ['a decider that is neither function nor list', { decide: {} }],
    ['a rule that is not a pair', { decide: [Error] }],
    ['a rule without a class', { decide: [['Error', Directive.Stop]] }],
    ['a rule without a known directive', { decide: [[Error, 'reboot']] }],
    ['an unknown option', { retries: 3 }],
    ['a delay of 0', { backoff: { minMs: 0 } }],
    ['a maximum delay below the minimum', { backoff: { minMs: 10, maxMs: 9 } }],
    ['a factor below 1', { backoff: { factor: 0.5 } }],
    ['a jitter above 1', { backoff: { jitter: 1.1 } }],
    ['a negative resetAfterMs', { backoff: { resetAfterMs: -1 } }],
    ['an unknown option of the backoff', { backoff: { max: 1 } }],
  ])('reject %s', (_what, options) => {
    expect(() => oneForOne(options as SupervisionOptions)).toThrow(InvalidActorOptionError);
    expect(() => allForOne(options as SupervisionOptions)).toThrow(InvalidActorOptionError);
  });
});
