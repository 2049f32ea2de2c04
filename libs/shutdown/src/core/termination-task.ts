import { InvalidTaskError } from './errors/invalid-task.error.js';
import type { ShutdownTaskFunction, TerminationTarget } from './task.js';

/** Returns a task that stops the target, with `stopMessage` if given, and waits until it has terminated. */
export function terminationTask<M>(
  phase: string,
  name: string,
  target: TerminationTarget<M>,
  stopMessage: M | undefined,
): ShutdownTaskFunction {
  for (const method of ['tell', 'stop', 'whenTerminated'] as const) {
    if (typeof target?.[method] !== 'function') {
      throw new InvalidTaskError(name, phase, `its target has no ${method}()`);
    }
  }
  return () => {
    if (stopMessage === undefined) target.stop();
    else target.tell(stopMessage);
    return target.whenTerminated();
  };
}
