import { earlierOf, FOREVER, isBefore, NEVER, type Tag } from '../../time/tag.js';
import type { CrossEdge } from '../plan.js';

interface SentMessage {
  /** The tag at which it arrives. */
  readonly tag: Tag;
  readonly sentAt: Tag;
  /** Retained for a receiver that may restart. */
  readonly bytes: Uint8Array | undefined;
}

/**
 * Credit-based flow control, the sender's half: per edge, the messages that the receiver has not handled yet. A window
 * limits them between tags, never within one: an edge carries one message per tag.
 */
export class SendWindows {
  readonly #byEdge = new Map<number, Queue<SentMessage>>();
  readonly #retained: Queue<SentMessage>[] = [];
  #full = 0;

  /** @param isRetained whether the receiver may restart, so that messages on the edge are retained for it */
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

  /** Whether at least one edge has no room. */
  get isFull(): boolean {
    return this.#full > 0;
  }

  add(edge: number, tag: Tag, sentAt: Tag, bytes?: Uint8Array): void {
    const queue = this.#byEdge.get(edge);
    if (!queue) return;
    queue.push({ tag, sentAt, bytes });
    if (queue.size === this.window) this.#full++;
  }

  /** The receiver has handled everything on the edge up to the tag. Repeating it is harmless. */
  release(edge: number, upTo: Tag): void {
    const queue = this.#byEdge.get(edge);
    if (!queue) return;
    const wasFull = queue.size >= this.window;
    while (queue.first && !isBefore(upTo, queue.first.tag)) queue.shift();
    if (wasFull && queue.size < this.window) this.#full--;
  }

  /** The receiver was removed from the run. */
  close(edge: number): void {
    this.release(edge, FOREVER);
    this.#byEdge.delete(edge);
  }

  /** The messages that a restarted receiver gets again. */
  retained(edge: number): Uint8Array[] {
    return [...(this.#byEdge.get(edge) ?? [])].flatMap(({ bytes }) => bytes ?? []);
  }

  /** The tag at which the first retained message was sent; FOREVER if there is none. */
  get retainedSince(): Tag {
    return this.#retained.reduce((first, queue) => earlierOf(first, queue.first?.sentAt ?? FOREVER), FOREVER);
  }
}

/** The receiver's half: the messages of one edge that wait for their tag, and the credit that the sender has not got yet. */
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

  /** Whether a message is due at the tag or before it. */
  hasDue(tag: Tag): boolean {
    const { first } = this.#waiting;
    return first !== undefined && !isBefore(tag, first.due);
  }

  /** Everything due up to the tag is handled. */
  handled(tag: Tag): void {
    for (let first = this.#waiting.first; first && !isBefore(tag, first.due); first = this.#waiting.first) {
      this.#waiting.shift();
      this.#handledUpTo = first.sent;
      this.#handled++;
    }
  }

  /** @returns the tag up to which the sender has room again, once at least this many messages are handled */
  takeCredit(atLeast: number): Tag | undefined {
    if (this.#handled < atLeast) return undefined;
    this.#handled = 0;
    return this.#handledUpTo;
  }

  /** Whether the credit of the message with this tag was given, or is about to be. */
  isHandled(sent: Tag): boolean {
    return !isBefore(this.#handledUpTo, sent);
  }
}

/** First in, first out, without moving the rest. */
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
