import { earlierOf, FOREVER, isBefore, NEVER, type Tag } from '../../time/tag.js';
import type { CrossEdge } from '../plan.js';

interface Sent {
  /** With which it arrives. */
  readonly tag: Tag;
  readonly sentAt: Tag;
  /** If the receiver may want it again. */
  readonly bytes: Uint8Array | undefined;
}

/**
 * What a partition has sent and its receivers have not handled, by edge. Looked at between tags, never within one: an edge
 * carries one message per tag.
 */
export class Outboxes {
  readonly #byEdge = new Map<number, Queue<Sent>>();
  readonly #kept: Queue<Sent>[] = [];
  #full = 0;

  /** @param isKept whether messages on that edge are kept for a receiver that may lose its memory */
  constructor(
    private readonly window: number,
    edges: readonly CrossEdge[],
    isKept: (edge: CrossEdge) => boolean,
  ) {
    for (const edge of edges) {
      const queue = new Queue<Sent>();
      this.#byEdge.set(edge.model.index, queue);
      if (isKept(edge)) this.#kept.push(queue);
    }
  }

  /** Whether a receiver has no more room. */
  get isFull(): boolean {
    return this.#full > 0;
  }

  add(edge: number, tag: Tag, sentAt: Tag, bytes?: Uint8Array): void {
    const queue = this.#byEdge.get(edge);
    if (!queue) return;
    queue.push({ tag, sentAt, bytes });
    if (queue.size === this.window) this.#full++;
  }

  /** Everything on the edge up to that tag is handled. May be said again. */
  release(edge: number, upTo: Tag): void {
    const queue = this.#byEdge.get(edge);
    if (!queue) return;
    const wasFull = queue.size >= this.window;
    while (queue.first && !isBefore(upTo, queue.first.tag)) queue.shift();
    if (wasFull && queue.size < this.window) this.#full--;
  }

  /** The receiver is gone. */
  close(edge: number): void {
    this.release(edge, FOREVER);
    this.#byEdge.delete(edge);
  }

  /** What a receiver without memory gets again. */
  kept(edge: number): Uint8Array[] {
    return [...(this.#byEdge.get(edge) ?? [])].flatMap(({ bytes }) => bytes ?? []);
  }

  /** When the first of what is kept was sent, FOREVER if nothing is. */
  get keptSince(): Tag {
    return this.#kept.reduce((first, queue) => earlierOf(first, queue.first?.sentAt ?? FOREVER), FOREVER);
  }
}

/** What has come over one edge and waits for its tag. */
export class Inbox {
  readonly #waiting = new Queue<{ readonly sent: Tag; readonly due: Tag }>();
  #handled = 0;
  #handledUpTo = NEVER;

  constructor(readonly edge: CrossEdge) {}

  /**
   * @param sent the tag it came with
   * @param due the tag at which it is handled; another one if the connection is physical
   */
  add(sent: Tag, due: Tag): void {
    this.#waiting.push({ sent, due });
  }

  /** Whether something waits for the tag or an earlier one. */
  hasDue(tag: Tag): boolean {
    const { first } = this.#waiting;
    return first !== undefined && !isBefore(tag, first.due);
  }

  /** Everything up to the tag has been handled. */
  handled(tag: Tag): void {
    for (let first = this.#waiting.first; first && !isBefore(tag, first.due); first = this.#waiting.first) {
      this.#waiting.shift();
      this.#handledUpTo = first.sent;
      this.#handled++;
    }
  }

  /** @returns up to where the sender has room again, if that is worth a message */
  takeHandled(atLeast: number): Tag | undefined {
    if (this.#handled < atLeast) return undefined;
    this.#handled = 0;
    return this.#handledUpTo;
  }

  /** Whether the sender has been told, or will be, that what came with this tag is handled. */
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
