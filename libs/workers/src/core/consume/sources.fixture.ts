import { type Deferred, deferred } from '@roost/kernel';
import type { RunToken } from '../run/run-token.js';
import { type Fixture, never, setup as setupWorkers } from '../workers.fixture.js';

/** A process that never returns, its token, and handlers for the items it consumes. */
export function setup(): Fixture & { readonly token: RunToken; readonly handlers: HandHandlers } {
  const fixture = setupWorkers();
  const { token } = fixture.run(never);
  return { ...fixture, token, handlers: new HandHandlers() };
}

/** An async iterable fed by a test. `next()` blocks while it is empty; `return()` unblocks it. */
export class HandSource implements AsyncIterableIterator<number> {
  /** Number of calls to `next()`. */
  asked = 0;
  /** Number of calls to `return()`. */
  returned = 0;
  readonly #items: IteratorResult<number>[] = [];
  #waiting: Deferred<IteratorResult<number>> | undefined;

  constructor(private readonly onReturn: 'unblocks' | 'ignores' = 'unblocks') {}

  [Symbol.asyncIterator](): this {
    return this;
  }

  get isBlocked(): boolean {
    return this.#waiting !== undefined;
  }

  next(): Promise<IteratorResult<number>> {
    this.asked++;
    const item = this.#items.shift();
    if (item) return Promise.resolve(item);
    this.#waiting = deferred();
    return this.#waiting.promise;
  }

  return(): Promise<IteratorResult<number>> {
    this.returned++;
    if (this.onReturn === 'unblocks') this.complete();
    return Promise.resolve({ done: true, value: undefined });
  }

  feed(...values: number[]): void {
    for (const value of values) this.#put({ done: false, value });
  }

  complete(): void {
    this.#put({ done: true, value: undefined });
  }

  fail(error: unknown): void {
    this.#waiting?.reject(error);
    this.#waiting = undefined;
  }

  #put(result: IteratorResult<number>): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting) waiting.resolve(result);
    else this.#items.push(result);
  }
}

/** Handlers that a test completes manually. */
export class HandHandlers {
  /** Handlers in the order in which they started. */
  readonly started: number[] = [];
  readonly ended: number[] = [];
  mostAtOnce = 0;
  readonly #pending = new Map<number, Deferred<void>>();

  readonly handle = async (item: number): Promise<void> => {
    this.started.push(item);
    const end = deferred();
    this.#pending.set(item, end);
    this.mostAtOnce = Math.max(this.mostAtOnce, this.#pending.size);
    try {
      await end.promise;
    } finally {
      this.ended.push(item);
    }
  };

  get running(): number[] {
    return [...this.#pending.keys()];
  }

  end(item: number, error?: unknown): void {
    const pending = this.#pending.get(item)!;
    this.#pending.delete(item);
    if (error === undefined) pending.resolve();
    else pending.reject(error);
  }
}
