import { DuplicateProcessError } from './duplicate-process.error.js';
import { InvalidWorkerOptionError } from './invalid-worker-option.error.js';
import { ProcessEndedError } from './process-ended.error.js';
import { ProcessesFailedError } from './processes-failed.error.js';
import { ProcessesStuckError } from './processes-stuck.error.js';
import { StopRequestedError } from './stop-requested.error.js';
import { WorkersStoppedError } from './workers-stopped.error.js';
import { WorkersError } from './workers.error.js';

describe('workers errors', () => {
  it.each([
    [new DuplicateProcessError('a', ['A', 'B']), 'WORKERS_DUPLICATE_PROCESS'],
    [new InvalidWorkerOptionError('maxWaitMs', -1, 'a number'), 'WORKERS_INVALID_OPTION'],
    [new ProcessEndedError('a', 'hold("x")'), 'WORKERS_PROCESS_ENDED'],
    [new ProcessesFailedError([{ process: 'a', error: 1 }]), 'WORKERS_FAILED_WHILE_STOPPING'],
    [new ProcessesStuckError(['a'], 5, 'a: step 1'), 'WORKERS_STUCK'],
    [new StopRequestedError('a'), 'WORKERS_STOP_REQUESTED'],
    [new WorkersStoppedError('x', 'stopped'), 'WORKERS_STOPPED'],
  ])('%s has its name and code', (error, code) => {
    expect(error).toBeInstanceOf(WorkersError);
    expect(error.name).toBe(error.constructor.name);
    expect(error.code).toBe(code);
    expect(error.message).toMatch(/^\S.*\. \(https:\/\/\S+\)$/);
  });

  it('shows the value of an option in one short line', () => {
    const { message } = new InvalidWorkerOptionError('x', { a: { b: 1 }, c: 'y'.repeat(500) }, 'a number');
    expect(message).not.toContain('\n');
    expect(message.length).toBeLessThan(300);
    expect(new InvalidWorkerOptionError('x', 'text', 'a number').message).toContain(
      "Worker option `x` is 'text', but must be a number.",
    );
  });
});
