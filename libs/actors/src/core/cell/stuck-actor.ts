import { typeOf } from '../type-of.js';
import type { ActorCell } from './actor-cell.js';
import { State } from './actor-state.js';

/** An actor whose handler has not settled. */
export interface StuckActor {
  path: string;
  /** Class of the current message, or the lifecycle step: `setup`, `PreRestart` or `PostStop`. */
  handling: string;
}

/** Returns the message class or lifecycle step that an awaiting actor is busy with. */
export function currentStep({ state, message, extras }: ActorCell): string {
  if (state === State.Stopping) return 'PostStop';
  if (state === State.Starting || extras?.restart?.stage === 'setup') return 'setup';
  if (extras?.restart) return 'PreRestart';
  return typeOf(message);
}
