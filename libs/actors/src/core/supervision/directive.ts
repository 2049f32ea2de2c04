/** What becomes of an actor that has failed. @publicApi */
export const Directive = {
  /** It goes on with the next message and keeps its state. */
  Resume: 'resume',
  /** It is replaced by a fresh instance, which goes on with the next message. Its children are stopped. */
  Restart: 'restart',
  /** It ends. */
  Stop: 'stop',
  /** The next in line decides: the actor's options, then its parent, and then the parent fails with the same error. */
  Escalate: 'escalate',
} as const;
export type Directive = (typeof Directive)[keyof typeof Directive];
