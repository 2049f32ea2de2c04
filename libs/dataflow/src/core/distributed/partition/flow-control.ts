import { earlierOf, FOREVER, isBefore, NEVER, type Tag } from '../../time/tag.js';
import type { CrossEdge } from '../plan.js';

interface SentMessage {
  /** Tag at which it arrives. */
  readonly tag: Tag;
  readonly sentAt: Tag;
  /** Retained for a receiver that may restart. */
  readonly bytes: Uint8Array | undefined;
}

/**
 * The sender's half of credit-based flow control: per edge, the messages that the receiver has not handled yet. The
 * window applies between tags, not within one, because an edge carries one message per tag.
 */
export class SendWindows {
  readonly #byEdge = new Map<number, Queue<SentMessage>>();
  readonly #retained: Queue<SentMessage>[] = [];
  #full = 0;

  /** @param isRetained whether the receiver may restart, so messages on the edge are retained for it */
  constructor(
    private readonly window: number,
    edges: readonly CrossEdge[],
    isRetained: (edge: CrossEdge) => boolean,
  ) {
    for (const edge of edges) {
      const queue = new Queue<SentMessage>();
      this.#byEdge.set(edge.model.index, queue);
      if (isRetained(edge)) this.#retained.push(queue);
    }
  }

  /** Whether at least one edge is full. */
  get isFull(): boolean {
    return this.#full > 0;
  }

  add(edge: number, tag: Tag, sentAt: Tag, bytes?: Uint8Array): void {
    const queue = this.#byEdge.get(edge);
    if (!queue) return;
    queue.push({ tag, sentAt, bytes });
    if (queue.size === this.window) this.#full++;
  }

  /** Frees the room of all messages up to the tag, because the receiver has handled them. Safe to repeat. */
  release(edge: number, upTo: Tag): void {
    const queue = this.#byEdge.get(edge);
    if (!queue) return;
    const wasFull = queue.size >= this.window;
    while (queue.first && !isBefore(upTo, queue.first.tag)) queue.shift();
    if (wasFull && queue.size < this.window) this.#full--;
  }

  /** Drops all messages on the edge, because its receiver was removed from the run. */
  close(edge: number): void {
    this.release(edge, FOREVER);
    this.#byEdge.delete(edge);
  }

  /** The messages to send again to a restarted receiver. */
  retained(edge: number): Uint8Array[] {
    return [...(this.#byEdge.get(edge) ?? [])].flatMap(({ bytes }) => bytes ?? []);
  }

  /** The tag at which the first retained message was sent. FOREVER if there is none. */
  get retainedSince(): Tag {
    return this.#retained.reduce((first, queue) => earlierOf(first, queue.first?.sentAt ?? FOREVER), FOREVER);
  }
}

/**
 * The receiver's half: the messages of one edge that wait for their tag, and the credit that the sender has not
 * received yet.
 */
export class ReceiveWindow {
  readonly #waiting = new Queue<{ readonly sent: Tag; readonly due: Tag }>();
  #handled = 0;
  #handledUpTo = NEVER;

  constructor(readonly edge: CrossEdge) {}

  /**
   * @param sent the tag of the message
   * @param due the tag at which it is handled, which differs on a physical edge
   */
  add(sent: Tag, due: Tag): void {
    this.#waiting.push({ sent, due });
  }

  /** Whether a message is due at or before the tag. */
  hasDue(tag: Tag): boolean {
    const { first } = this.#waiting;
    return first !== undefined && !isBefore(tag, first.due);
  }

  /** Records that everything due up to the tag has been handled. */
  handled(tag: Tag): void {
    for (let first = this.#waiting.first; first && !isBefore(tag, first.due); first = this.#waiting.first) {
      this.#waiting.shift();
      this.#handledUpTo = first.sent;
      this.#handled++;
    }
  }

  /** @returns the tag up to which the sender gets room again, once at least this many messages are handled */
  takeCredit(atLeast: number): Tag | undefined {
    if (this.#handled < atLeast) return undefined;
    this.#handled = 0;
    return this.#handledUpTo;
  }

  /** Whether credit for the message with this tag was given or is about to be. */
  isHandled(sent: Tag): boolean {
    return !isBefore(this.#handledUpTo, sent);
  }
}

/** A queue whose `shift()` does not move the remaining items. */
class Queue<T> {
  #items: T[] = [];
  #head = 0;

  get size(): number {
    return this.#items.length - this.#head;
  }

  get first(): T | undefined {
    return this.#items[this.#head];
  }

  push(item: T): void {
    this.#items.push(item);
  }

  shift(): void {
    this.#head++;
    if (this.#head < 32 || 2 * this.#head < this.#items.length) return;
    this.#items = this.#items.slice(this.#head);
    this.#head = 0;
  }

  *[Symbol.iterator](): Iterator<T> {
    for (let at = this.#head; at < this.#items.length; at++) yield this.#items[at]!;
  }
}
