/**
 * Holds the waiting messages of an actor. An entry is a message and its reply address (or `undefined`), stored in two
 * array slots instead of one object per message.
 */
export interface Mailbox {
  /** Number of waiting messages. */
  readonly size: number;
  /** Reply address of the entry that `take` returned last. */
  readonly takenReplyTo: unknown;
  push(message: unknown, replyTo: unknown): void;
  /** Adds an entry in front of all others, for unstashed messages. */
  pushFront(message: unknown, replyTo: unknown): void;
  /** Removes and returns the next message. Only when `size` is not 0. */
  take(): unknown;
}
