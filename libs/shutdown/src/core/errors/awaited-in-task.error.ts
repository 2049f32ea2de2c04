import { ShutdownError } from './shutdown.error.js';

/** A task awaits the shutdown that is waiting for that task. @publicApi */
export class AwaitedInTaskError extends ShutdownError {
  constructor(
    readonly task: string,
    readonly phase: string,
  ) {
    super(
      'SHUTDOWN_AWAITED_IN_TASK',
      `Shutdown task "${task}" in phase "${phase}" awaits run(), terminated or app.close(), which wait for this task. ` +
        'Call run() without awaiting it, or subscribe to events$ from outside the task.',
    );
  }
}
