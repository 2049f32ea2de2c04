import type { Mailbox } from './mailbox.js';

const FIRST_SLOTS = 8;
/**
 * An array up to this length is kept when the mailbox becomes empty. A longer one was needed for a burst and is
 * released.
 */
const KEPT_SLOTS = 64;

/**
 * An unbounded FIFO mailbox in a ring buffer whose length is a power of two. Reply addresses are in a second array,
 * which most mailboxes never need.
 */
export class RingMailbox implements Mailbox {
  size = 0;
  takenReplyTo: unknown = undefined;
  private messages: unknown[] | null = null;
  /** Reply addresses, parallel to `messages`; null until a message has one. */
  private besides: unknown[] | null = null;
  private head = 0;

  push(message: unknown, replyTo: unknown): void {
    const messages = this.withRoom();
    const at = (this.head + this.size) & (messages.length - 1);
    messages[at] = message;
    this.size++;
    if (replyTo !== undefined) this.setBeside(at, replyTo);
  }

  pushFront(message: unknown, replyTo: unknown): void {
    const messages = this.withRoom();
    const at = (this.head - 1) & (messages.length - 1);
    messages[at] = message;
    this.head = at;
    this.size++;
    if (replyTo !== undefined) this.setBeside(at, replyTo);
  }

  take(): unknown {
    const messages = this.messages!;
    const at = this.head;
    const message = messages[at];
    messages[at] = undefined;
    this.head = (at + 1) & (messages.length - 1);
    this.takenReplyTo = this.besides === null ? undefined : takeFrom(this.besides, at);
    if (--this.size === 0 && messages.length > KEPT_SLOTS) {
      this.messages = this.besides = null;
      this.head = 0;
    }
    return message;
  }

  private setBeside(at: number, replyTo: unknown): void {
    this.besides ??= new Array<unknown>(this.messages!.length).fill(undefined);
    this.besides[at] = replyTo;
  }

  private withRoom(): unknown[] {
    const { messages } = this;
    if (messages === null) return (this.messages = new Array<unknown>(FIRST_SLOTS));
    return this.size === messages.length ? this.grow(messages) : messages;
  }

  private grow(messages: unknown[]): unknown[] {
    const { head, besides } = this;
    this.head = 0;
    if (besides !== null) this.besides = doubled(besides, head);
    return (this.messages = doubled(messages, head));
  }
}

function takeFrom(besides: unknown[], at: number): unknown {
  const beside = besides[at];
  besides[at] = undefined;
  return beside;
}

/** Returns a ring of twice the length with the same contents, starting at index 0. */
function doubled(ring: unknown[], head: number): unknown[] {
  const twice = new Array<unknown>(2 * ring.length);
  const mask = ring.length - 1;
  for (let i = 0; i < ring.length; i++) twice[i] = ring[(head + i) & mask];
  return twice;
}
