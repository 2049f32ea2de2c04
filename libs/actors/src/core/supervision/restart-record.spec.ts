import { ManualClock } from '@roost/time/testing';
import { RestartRecord } from './restart-record.js';

const setup = () => {
  const clock = new ManualClock();
  const record = new RestartRecord(clock);
  const at = (time: number): RestartRecord => {
    clock.advance(time - clock.monotonic());
    return record;
  };
  return { record, at };
};

describe('RestartRecord', () => {
  it('counts restarts within a sliding window', () => {
    const { record, at } = setup();
    expect(record.within(100)).toBe(0);
    at(0).begin();
    at(60).begin();

    expect([99, 100, 159, 160].map((time) => at(time).within(100))).toEqual([2, 1, 1, 0]);
    at(160).begin();
    expect([at(259).within(100), at(260).within(100)]).toEqual([1, 0]);
    expect(record.count).toBe(3);
  });

  it('keeps no times before a window is requested', () => {
    const { record, at } = setup();
    at(0).begin();

    expect([record.count, record.within(100)]).toEqual([1, 0]);
  });

  it('counts restarts in a row until the actor has run long enough', () => {
    const { at } = setup();
    const failAt = (now: number, runsAgainAt: number): number => {
      const attempt = at(now).inARow(40);
      at(now).begin();
      at(runsAgainAt).finish();
      return attempt;
    };

    expect([failAt(0, 10), failAt(10, 30), failAt(30, 70), failAt(70, 110)]).toEqual([0, 1, 2, 3]);
    expect([failAt(149, 189), failAt(229, 239), failAt(240, 260)]).toEqual([4, 0, 1]);
  });

  it('counts a restart that failed', () => {
    const { at } = setup();
    const attempts = [0, 100, 200].map((now) => {
      const attempt = at(now).inARow(40);
      at(now).begin();
      return attempt;
    });

    expect(attempts).toEqual([0, 1, 2]);
  });
});
