/**
 * Where the messages of an actor wait. An entry is a message and who gets the reply (or `undefined`): two slots of an
 * array instead of an object per message.
 */
export interface Mailbox {
  /** Messages waiting. */
  readonly size: number;
  /** The second half of the entry that `take` returned last. */
  readonly takenReplyTo: unknown;
  push(message: unknown, replyTo: unknown): void;
  /** Puts an entry before all others: for what was stashed. */
  pushFront(message: unknown, replyTo: unknown): void;
  /** The next message. Only when `size` is not 0. */
  take(): unknown;
}
