import type { ShutdownReport } from './report.js';
import { reportTable } from './report-table.js';

const report = (over: Partial<ShutdownReport> = {}): ShutdownReport => ({
  reason: 'unknown',
  otherReasons: [],
  status: 'completed',
  exitCode: 0,
  durationMs: 1_500,
  phases: [],
  ...over,
});

describe('reportTable', () => {
  it('is one line when there were no tasks', () => {
    const phases = [{ name: 'empty', status: 'completed' as const, durationMs: 0, tasks: [] }];

    expect(reportTable(report({ phases }))).toBe('shutdown completed in 1.5 s: unknown, exit code 0');
  });

  it('names the other reasons', () => {
    expect(reportTable(report({ otherReasons: ['a', 'b (c)'] }))).toContain('exit code 0 (also: a, b (c))');
  });

  it('has an aligned row per phase with tasks, and per task and hook that failed', () => {
    const table = reportTable(
      report({
        status: 'failed',
        exitCode: 1,
        phases: [
          {
            name: 'service-unbind',
            status: 'completed',
            durationMs: 5,
            tasks: [{ name: 'ok', status: 'completed', durationMs: 5 }],
          },
          { name: 'empty', status: 'completed', durationMs: 0, tasks: [] },
          {
            name: 'stop',
            status: 'timed-out',
            durationMs: 2_000,
            tasks: [
              { name: 'fine', status: 'completed', durationMs: 1 },
              { name: 'db', status: 'failed', durationMs: 3, error: { message: 'gone' } },
              { name: 'mq', status: 'timed-out', durationMs: 2_000 },
              { name: 'none', status: 'cancelled', durationMs: 0 },
            ],
          },
          { name: 'later', status: 'skipped', durationMs: 0, tasks: [] },
        ],
        hooks: [
          { name: 'A.onModuleDestroy', status: 'failed', durationMs: 7, error: { message: 'boom' } },
          { name: 'B.onModuleDestroy', status: 'completed', durationMs: 7 },
          { name: 'C.onModuleDestroy', status: 'timed-out', durationMs: 7 },
        ],
      }),
    );

    expect(table.split('\n')).toEqual([
      'shutdown failed in 1.5 s: unknown, exit code 1',
      '  service-unbind     completed  5 ms  1 task',
      '  stop               timed-out   2 s  4 tasks',
      '    db               failed     3 ms  gone',
      '    mq               timed-out   2 s',
      '  A.onModuleDestroy  failed     7 ms  boom',
      '  C.onModuleDestroy  timed-out  7 ms',
    ]);
  });
});
