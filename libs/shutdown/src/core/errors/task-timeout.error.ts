import { formatDuration } from '@roost/time';
import { ShutdownError } from './shutdown.error.js';

/** The limit that a task exceeded. @publicApi */
export type TimeoutScope = 'task' | 'phase' | 'overall';

/** A task did not settle in time. It is also the `reason` of the task's aborted `ctx.signal`. @publicApi */
export class TaskTimeoutError extends ShutdownError {
  constructor(
    readonly task: string,
    readonly phase: string,
    readonly scope: TimeoutScope,
    readonly durationMs: number,
  ) {
    super(
      'SHUTDOWN_TASK_TIMEOUT',
      `Shutdown task "${task}" in phase "${phase}" was still running after ${formatDuration(durationMs)} ` +
        `and was abandoned at the ${scope === 'overall' ? 'overall deadline' : `${scope} timeout`}.`,
    );
  }
}
