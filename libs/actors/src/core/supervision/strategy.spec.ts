import { InvalidActorOptionError } from '../errors/invalid-actor-option.error.js';
import { backoffDelayMs, resolveBackoff } from './backoff.js';
import { Directive } from './directive.js';
import { RestartHistory } from './restart-history.js';
import { allForOne, exponentialBackoff, oneForOne, type SupervisionOptions } from './strategy.js';

class DatabaseError extends Error {}
class DeadlockError extends DatabaseError {}

describe('a strategy', () => {
  it('restarts, ten times a minute, unless told otherwise', () => {
    expect(oneForOne()).toMatchObject({ appliesTo: 'one', maxRetries: 10, windowMs: 60_000, backoff: undefined });
    expect(allForOne()).toMatchObject({ appliesTo: 'all', maxRetries: 10, windowMs: 60_000, backoff: undefined });
    expect(oneForOne().decide(new Error())).toBe(Directive.Restart);
  });

  it('with exponential backoff restarts for ever, with these delays, unless told otherwise', () => {
    expect(exponentialBackoff()).toMatchObject({
      appliesTo: 'one',
      maxRetries: Infinity,
      backoff: { minMs: 200, maxMs: 30_000, factor: 2, jitter: 0.2, resetAfterMs: 30_000 },
    });
    expect(exponentialBackoff({ maxRetries: 3, windowMs: 5, decide: () => Directive.Stop, minMs: 1 })).toMatchObject({
      maxRetries: 3,
      windowMs: 5,
      backoff: { minMs: 1 },
    });
  });

  it('decides by the first class that fits', () => {
    const { decide } = oneForOne({
      decide: [
        [DeadlockError, Directive.Resume],
        [DatabaseError, Directive.Stop],
        [Error, Directive.Escalate],
        [DeadlockError, Directive.Restart],
      ],
    });

    expect(decide(new DeadlockError())).toBe(Directive.Resume);
    expect(decide(new DatabaseError())).toBe(Directive.Stop);
    expect(decide(new TypeError())).toBe(Directive.Escalate);
    expect(decide('no error at all')).toBe(Directive.Restart);
  });

  it('decides by function, and restarts what that has no answer for', () => {
    const { decide } = oneForOne({ decide: (error) => (error === 'stop' ? Directive.Stop : undefined) });

    expect([decide('stop'), decide('else')]).toEqual([Directive.Stop, Directive.Restart]);
  });

  it('refuses an answer that is no directive', () => {
    const { decide } = oneForOne({ decide: () => 'reboot' as Directive });

    expect(() => decide(new Error())).toThrow(InvalidActorOptionError);
  });

  it.each<[string, unknown]>([
    ['a negative number of retries', { maxRetries: -1 }],
    ['half a retry', { maxRetries: 0.5 }],
    ['a text for retries', { maxRetries: '3' }],
    ['no window', { windowMs: 0 }],
    ['a window that is no number', { windowMs: NaN }],
    ['a decider that is neither function nor list', { decide: {} }],
    ['a rule that is no pair', { decide: [Error] }],
    ['a rule whose class is none', { decide: [['Error', Directive.Stop]] }],
    ['a rule without a known directive', { decide: [[Error, 'reboot']] }],
    ['an unknown option', { retries: 3 }],
    ['no delay', { backoff: { minMs: 0 } }],
    ['a longest delay below the shortest', { backoff: { minMs: 10, maxMs: 9 } }],
    ['a factor below 1', { backoff: { factor: 0.5 } }],
    ['a jitter above 1', { backoff: { jitter: 1.1 } }],
    ['a negative time to reset', { backoff: { resetAfterMs: -1 } }],
    ['an unknown option of the backoff', { backoff: { max: 1 } }],
  ])('refuses %s', (_what, options) => {
    expect(() => oneForOne(options as SupervisionOptions)).toThrow(InvalidActorOptionError);
    expect(() => allForOne(options as SupervisionOptions)).toThrow(InvalidActorOptionError);
  });
});

describe('the delay of a backoff', () => {
  const backoff = resolveBackoff({ minMs: 100, maxMs: 1_000, factor: 2, jitter: 0.5 }, 'test');

  it('doubles up to the longest', () => {
    const delays = [0, 1, 2, 3, 4, 5, 2_000].map((attempt) => backoffDelayMs(backoff, attempt, () => 0));

    expect(delays).toEqual([100, 200, 400, 800, 1_000, 1_000, 1_000]);
  });

  it('is shortened by chance, at most by the jitter', () => {
    expect(backoffDelayMs(backoff, 1, () => 0.5)).toBe(150);
    expect(backoffDelayMs(backoff, 1, () => 0.999)).toBeCloseTo(100, 0);
    expect(backoffDelayMs({ ...backoff, jitter: 0 }, 1, () => 0.999)).toBe(200);
  });
});

describe('the history of restarts', () => {
  it('allows exactly so many within the window, wherever that begins', () => {
    const history = new RestartHistory();
    const strategy = oneForOne({ maxRetries: 2, windowMs: 100 });
    const allowed = (now: number): boolean => history.next(strategy, now) !== undefined;

    expect([allowed(0), allowed(60), allowed(99)]).toEqual([true, true, false]);
    expect([allowed(100), allowed(159), allowed(160)]).toEqual([true, false, true]);
    expect(history.count).toBe(4);
  });

  it('allows none with 0, and any number with Infinity, without taking note of each', () => {
    expect(new RestartHistory().next(oneForOne({ maxRetries: 0 }), 0)).toBeUndefined();
    const history = new RestartHistory();
    for (let i = 0; i < 1_000; i++) expect(history.next(oneForOne({ maxRetries: Infinity }), 0)).toBe(0);
  });

  it('counts those in a row until the actor has run for long enough', () => {
    const history = new RestartHistory();
    const strategy = exponentialBackoff({ minMs: 10, maxMs: 40, resetAfterMs: 40 });
    const failAt = (now: number, runsAgainAt: number): number | undefined => {
      const attempt = history.next(strategy, now);
      history.restarted(runsAgainAt);
      return attempt;
    };

    expect([failAt(0, 10), failAt(10, 30), failAt(30, 70), failAt(70, 110)]).toEqual([0, 1, 2, 3]);
    expect([failAt(149, 189), failAt(229, 239), failAt(240, 260)]).toEqual([4, 0, 1]);
  });

  it('counts a restart that came to nothing', () => {
    const history = new RestartHistory();
    const strategy = exponentialBackoff({ minMs: 10, maxMs: 40, resetAfterMs: 40 });

    expect([0, 100, 200].map((now) => history.next(strategy, now))).toEqual([0, 1, 2]);
  });
});
