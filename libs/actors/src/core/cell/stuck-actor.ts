import { typeOf } from '../error-text.js';
import type { ActorCell } from './actor-cell.js';
import { State } from './actor-state.js';

/** An actor whose handler had not settled at the deadline of a shutdown. @publicApi */
export interface StuckActor {
  readonly path: string;
  /** Class of the message that it was handling, or the step of its lifecycle: `setup`, `PreRestart`, `PostStop`. */
  readonly handling: string;
}

/** The message or the step of its lifecycle that an awaiting actor is busy with. */
export function currentStep({ state, message, extras }: ActorCell): string {
  if (state === State.Stopping) return 'PostStop';
  if (state === State.Starting || extras?.restart?.stage === 'setup') return 'setup';
  if (extras?.restart) return 'PreRestart';
  return typeOf(message);
}
