import { isThenable, type RoostLogger, stackOf } from '@roost/kernel';
import type { Clock } from '@roost/time';
import type { Observable } from 'rxjs';
import { InvalidWorkerOptionError } from '../errors/invalid-worker-option.error.js';
import { StopRequestedError } from '../errors/stop-requested.error.js';
import { assertFunction, check } from '../option-checks.js';
import { manyListeners } from '../stop-signal/many-listeners.js';
import { isNormalEnding } from '../stop-signal/normal-ending.js';
import type { ConsumeOptions, ConsumeSource, ItemSource } from './consume-options.js';
import { pullFrom } from './pull.js';
import { pushFrom } from './push.js';
import type { Sink } from './sink.js';

type Handler<T> = (item: T, signal: AbortSignal) => unknown;

interface ItemInFlight {
  readonly startedAt: number;
}

export interface ConsumptionContext {
  /** Name of the worker. */
  readonly name: string;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly logger: RoostLogger;
}

/** One call to `consume()`. */
export class Consumption<T> implements Sink<T> {
  onRoom: () => void = nothing;
  /** Items being handled, oldest first. */
  readonly #items = new Set<ItemInFlight>();
  readonly #concurrency: number;
  readonly #onError: ConsumeOptions<T>['onError'];
  #isEnding = false;
  #sourceHasEnded = false;
  #closeSource: () => void = nothing;
  /** Signal passed to a source function. It also aborts when a handler fails. */
  #sourceSignal: AbortController | undefined;
  #failure: { readonly error: unknown } | undefined;
  #onIdle: () => void = nothing;

  /** @throws InvalidWorkerOptionError */
  constructor(
    private readonly handler: Handler<T>,
    options: ConsumeOptions<T>,
    private readonly context: ConsumptionContext,
  ) {
    check.knownKeys(options, ['concurrency', 'onError'], 'consume(options)');
    const { concurrency = 1, onError } = options;
    check.number(concurrency, 'consume(options).concurrency', { least: 1, whole: true, endless: true });
    assertFunction(handler, 'consume(handler)');
    if (onError !== undefined) assertFunction(onError, 'consume(options).onError');
    this.#concurrency = concurrency;
    this.#onError = onError;
  }

  get itemsInFlight(): number {
    return this.#items.size;
  }

  get oldestItem(): ItemInFlight | undefined {
    return this.#items.values().next().value;
  }

  /** Whether all items are handled and only the source is still open. */
  get waitsForSource(): boolean {
    return this.#isEnding && !this.#sourceHasEnded && this.#items.size === 0;
  }

  get hasRoom(): boolean {
    return this.#items.size < this.#concurrency;
  }

  get isEnding(): boolean {
    return this.#isEnding;
  }

  onEnding(callback: () => void): void {
    if (this.#isEnding) callback();
    else this.#closeSource = callback;
  }

  /** Takes no further items. Items already taken are still handled. */
  end(reason: StopRequestedError): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    this.#closeSource();
    this.#sourceSignal?.abort(reason);
  }

  async run(source: ConsumeSource<T>): Promise<void> {
    try {
      if (!this.#isEnding) await this.#takeFrom(source);
    } catch (error) {
      if (!isEndBy(this.#sourceSignal?.signal, error) && !isEndBy(this.context.signal, error)) this.#fail(error);
    }
    this.#sourceHasEnded = true;
    if (this.#items.size > 0) await new Promise<void>((resolve) => (this.#onIdle = resolve));
    if (this.#failure) throw this.#failure.error;
  }

  take(item: T): void {
    const work: ItemInFlight = { startedAt: this.context.clock.monotonic() };
    this.#items.add(work);
    this.#call(
      work,
      () => this.handler(item, this.context.signal),
      (error) => this.#handlerFailed(work, error, item),
    );
  }

  #handlerFailed(work: ItemInFlight, error: unknown, item: T): void {
    const onError = this.#onError;
    const failed = (reason: unknown): void => {
      this.#fail(reason);
      this.#handled(work);
    };
    if (onError) this.#call(work, () => onError(error, item), failed);
    else failed(error);
  }

  /** Calls user code, which may return anything and may throw synchronously or asynchronously. */
  #call(work: ItemInFlight, call: () => unknown, failed: (error: unknown) => void): void {
    let result: PromiseLike<unknown> | undefined;
    try {
      const value = call();
      if (isThenable(value)) result = value;
    } catch (error) {
      return failed(error);
    }
    if (result) Promise.resolve(result).then(() => this.#handled(work), failed);
    else this.#handled(work);
  }

  #handled(work: ItemInFlight): void {
    this.#items.delete(work);
    this.onRoom();
    if (this.#items.size === 0) this.#onIdle();
  }

  #fail(error: unknown): void {
    const { name, signal, logger } = this.context;
    if (!this.#failure || isEndBy(signal, this.#failure.error)) this.#failure = { error };
    else if (!isEndBy(signal, error)) logger.error(`"${name}": another failure in a consume(): ${stackOf(error)}`);
    this.end(new StopRequestedError(name, { error }));
  }

  #signalForSource(): AbortSignal {
    this.#sourceSignal = manyListeners(new AbortController());
    return this.#sourceSignal.signal;
  }

  #takeFrom(source: ConsumeSource<T>): Promise<void> {
    const opened = typeof source === 'function' ? source(this.#signalForSource()) : source;
    if (isSubscribable(opened)) return pushFrom(opened, this);
    if (isIterable(opened)) return pullFrom(opened, this);
    const expected =
      'an async iterable, an iterable, an observable, or a function that takes the signal and returns one';
    throw new InvalidWorkerOptionError('consume(source)', opened, expected);
  }
}

const nothing = (): void => undefined;

const isEndBy = (signal: AbortSignal | undefined, error: unknown): boolean =>
  signal !== undefined && signal.aborted && isNormalEnding(error, signal.reason);

const isSubscribable = <T>(source: ItemSource<T>): source is Observable<T> =>
  typeof (source as { subscribe?: unknown } | null)?.subscribe === 'function';

const isIterable = <T>(source: AsyncIterable<T> | Iterable<T>): boolean =>
  source != null && (Symbol.asyncIterator in Object(source) || Symbol.iterator in Object(source));
