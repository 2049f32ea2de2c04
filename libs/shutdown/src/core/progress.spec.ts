import { ManualClock } from '@roost/time/testing';
import { reportProgress } from './progress.js';
import { RecordingLogger } from '@roost/kernel/testing';

describe('reportProgress', () => {
  it('logs once a second, starting after one second, only when there is text', () => {
    const clock = new ManualClock();
    const logger = new RecordingLogger();
    let text: string | undefined = 'first';
    reportProgress(clock, logger, () => text);

    clock.advance(999);
    expect(logger.lines).toEqual([]);
    clock.advance(1);
    expect(logger.lines).toEqual(['log: first']);
    text = undefined;
    clock.advance(1_000);
    text = 'third';
    clock.advance(1_000);
    expect(logger.lines).toEqual(['log: first', 'log: third']);
  });

  it('stops when cancelled, even after it has logged, and leaves no timer', () => {
    const clock = new ManualClock();
    const logger = new RecordingLogger();
    const progress = reportProgress(clock, logger, () => 'x');
    clock.advance(2_500);

    progress.cancel();

    expect(clock.pendingTimers).toBe(0);
    clock.advance(5_000);
    expect(logger.lines).toHaveLength(2);
  });
});
