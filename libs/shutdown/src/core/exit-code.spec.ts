import { exitCodeFor } from './exit-code.js';
import {
  BootstrapFailedReason,
  ClusterDowningReason,
  ProcessDoneReason,
  ShutdownReason,
  UncaughtErrorReason,
  UnknownReason,
} from './reasons.js';
import type { ShutdownStatus } from './report.js';

const BAD: ShutdownStatus[] = ['failed', 'aborted', 'forced'];
const exit = { process: 'on-signal' as const, onFailure: 3, reasons: { 'cluster-downing': 70, harmless: 0 } };

describe('exitCodeFor', () => {
  it('returns 0 when the shutdown completed', () => {
    expect(exitCodeFor(new UnknownReason(), 'completed', exit)).toBe(0);
  });

  it.each(BAD)('returns exit.onFailure when the status is %s', (status) => {
    expect(exitCodeFor(new UnknownReason(), status, exit)).toBe(3);
  });

  it.each<ShutdownStatus>(['completed', ...BAD])('returns the code of the reason when the status is %s', (status) => {
    expect(exitCodeFor(new ClusterDowningReason(), status, exit)).toBe(70);
  });

  it('does not let a reason turn a failure into a 0', () => {
    expect(exitCodeFor(new ShutdownReason('harmless'), 'failed', exit)).toBe(3);
    expect(exitCodeFor(new ShutdownReason('harmless'), 'completed', exit)).toBe(0);
  });

  it('returns 1 after an uncaught error even if the phases completed, unless exit.reasons has a code', () => {
    const reason = new UncaughtErrorReason(new Error('boom'));

    expect(exitCodeFor(reason, 'completed', exit)).toBe(1);
    expect(exitCodeFor(reason, 'failed', exit)).toBe(1);
    expect(exitCodeFor(reason, 'completed', { ...exit, reasons: { 'uncaught-error': 9 } })).toBe(9);
  });

  it('returns 1 after a failed boot, unless exit.reasons has a code', () => {
    const reason = new BootstrapFailedReason(new Error('no db'));

    expect(exitCodeFor(reason, 'completed', exit)).toBe(1);
    expect(exitCodeFor(reason, 'completed', { ...exit, reasons: { 'bootstrap-failed': 8 } })).toBe(8);
  });

  it('returns the code of a ProcessDoneReason, unless exit.reasons has one, and never 0 for a failure', () => {
    expect(exitCodeFor(new ProcessDoneReason(42), 'completed', exit)).toBe(42);
    expect(exitCodeFor(new ProcessDoneReason(42), 'failed', exit)).toBe(42);
    expect(exitCodeFor(new ProcessDoneReason(42), 'completed', { ...exit, reasons: { 'process-done': 0 } })).toBe(0);
    expect(exitCodeFor(new ProcessDoneReason(), 'completed', exit)).toBe(0);
    expect(exitCodeFor(new ProcessDoneReason(), 'failed', exit)).toBe(3);
  });

  it('ignores inherited properties of exit.reasons', () => {
    class ConstructorReason extends ShutdownReason {}

    expect(exitCodeFor(new ConstructorReason(), 'completed', exit)).toBe(0);
  });
});
