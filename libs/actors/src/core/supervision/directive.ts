/**
 * Decision about a failed actor.
 *
 * @example
 * ```ts
 * import { Actor, Directive, oneForOne } from '@roost/actors';
 *
 * class ValidationError extends Error {}
 *
 * @Actor({ supervision: oneForOne({ decide: [[ValidationError, Directive.Resume]] }) })
 * export class ImportActor {}
 * ```
 *
 * @publicApi
 */
export const Directive = {
  /** Continues with the next message and keeps the actor's state. */
  Resume: 'resume',
  /** Replaces the actor with a new instance, which continues with the next message. Its children are stopped. */
  Restart: 'restart',
  /** Stops the actor. */
  Stop: 'stop',
  /** Passes the decision on: to the actor's options, then to its parent; then the parent fails with the same error. */
  Escalate: 'escalate',
} as const;
export type Directive = (typeof Directive)[keyof typeof Directive];
