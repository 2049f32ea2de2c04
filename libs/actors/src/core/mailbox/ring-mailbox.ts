import type { Mailbox } from './mailbox.js';

const FIRST_SLOTS = 8;
/** An array of at most this length is kept when the mailbox runs empty; a longer one was for a burst and is given back. */
const KEPT_SLOTS = 64;

/** First in, first out, without a limit. */
export class RingMailbox implements Mailbox {
  size = 0;
  takenReplyTo: unknown = undefined;
  private slots: unknown[] | null = null;
  private head = 0;

  push(message: unknown, replyTo: unknown): void {
    const slots = this.withRoom();
    const at = (this.head + 2 * this.size) & (slots.length - 1);
    slots[at] = message;
    slots[at + 1] = replyTo;
    this.size++;
  }

  pushFront(message: unknown, replyTo: unknown): void {
    const slots = this.withRoom();
    const at = (this.head - 2) & (slots.length - 1);
    slots[at] = message;
    slots[at + 1] = replyTo;
    this.head = at;
    this.size++;
  }

  take(): unknown {
    const slots = this.slots!;
    const at = this.head;
    const message = slots[at];
    this.takenReplyTo = slots[at + 1];
    slots[at] = undefined;
    slots[at + 1] = undefined;
    this.head = (at + 2) & (slots.length - 1);
    if (--this.size === 0 && slots.length > KEPT_SLOTS) {
      this.slots = null;
      this.head = 0;
    }
    return message;
  }

  private withRoom(): unknown[] {
    const { slots } = this;
    if (slots === null) {
      return (this.slots = new Array<unknown>(FIRST_SLOTS).fill(undefined));
    }
    return 2 * this.size === slots.length ? this.grown(slots) : slots;
  }

  private grown(old: unknown[]): unknown[] {
    const slots = new Array<unknown>(2 * old.length);
    const mask = old.length - 1;
    for (let i = 0; i < old.length; i++) slots[i] = old[(this.head + i) & mask];
    this.head = 0;
    return (this.slots = slots);
  }
}
