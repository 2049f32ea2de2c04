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
  it('is 0 when all went well', () => {
    expect(exitCodeFor(new UnknownReason(), 'completed', exit)).toBe(0);
  });

  it.each(BAD)('is exit.onFailure when it %s', (status) => {
    expect(exitCodeFor(new UnknownReason(), status, exit)).toBe(3);
  });

  it.each<ShutdownStatus>(['completed', ...BAD])('is the code of the reason when it %s', (status) => {
    expect(exitCodeFor(new ClusterDowningReason(), status, exit)).toBe(70);
  });

  it('never turns a failure into a 0 because of the reason', () => {
    expect(exitCodeFor(new ShutdownReason('harmless'), 'failed', exit)).toBe(3);
    expect(exitCodeFor(new ShutdownReason('harmless'), 'completed', exit)).toBe(0);
  });

  it('is 1 after an uncaught error, however well the phases went, unless the reason has its own', () => {
    const reason = new UncaughtErrorReason(new Error('boom'));

    expect(exitCodeFor(reason, 'completed', exit)).toBe(1);
    expect(exitCodeFor(reason, 'failed', exit)).toBe(1);
    expect(exitCodeFor(reason, 'completed', { ...exit, reasons: { 'uncaught-error': 9 } })).toBe(9);
  });

  it('is 1 after a failed boot, unless the reason has its own', () => {
    const reason = new BootstrapFailedReason(new Error('no db'));

    expect(exitCodeFor(reason, 'completed', exit)).toBe(1);
    expect(exitCodeFor(reason, 'completed', { ...exit, reasons: { 'bootstrap-failed': 8 } })).toBe(8);
  });

  it('is that of a process that is done, unless the reason has its own; a failure is no 0', () => {
    expect(exitCodeFor(new ProcessDoneReason(42), 'completed', exit)).toBe(42);
    expect(exitCodeFor(new ProcessDoneReason(42), 'failed', exit)).toBe(42);
    expect(exitCodeFor(new ProcessDoneReason(42), 'completed', { ...exit, reasons: { 'process-done': 0 } })).toBe(0);
    expect(exitCodeFor(new ProcessDoneReason(), 'completed', exit)).toBe(0);
    expect(exitCodeFor(new ProcessDoneReason(), 'failed', exit)).toBe(3);
  });

  it('takes no code from what every object has', () => {
    class ConstructorReason extends ShutdownReason {}

    expect(exitCodeFor(new ConstructorReason(), 'completed', exit)).toBe(0);
  });
});
