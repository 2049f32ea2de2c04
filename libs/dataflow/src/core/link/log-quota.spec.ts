import { ManualClock } from '@roost/time/testing';
import { LogQuota } from './log-quota.js';

describe('LogQuota', () => {
  it('allows twenty lines per minute, and announces the limit on the last one', () => {
    const clock = new ManualClock();
    const quota = new LogQuota(clock);
    const pass = (): (string | undefined)[] => Array.from({ length: 25 }, () => quota.pass('line'));
    const expected = [
      ...Array.from({ length: 19 }, () => 'line'),
      'line (Further warnings are suppressed for up to a minute.)',
      ...Array.from({ length: 5 }, () => undefined),
    ];

    expect(pass()).toEqual(expected);

    clock.advance(59_999);
    expect(quota.pass('line')).toBeUndefined();
    clock.advance(1);
    expect(pass()).toEqual(expected);
  });
});
