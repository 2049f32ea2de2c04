import type { ActorRef, AskOptions, OfferOptions } from './actor-ref.js';
import type { ActorCell } from './actor-cell.js';
import { typeOf } from './error-text.js';
import { AskTimeoutError } from './errors/ask-timeout.error.js';
import { Alarm } from './timing/alarm-clock.js';
import { assertTimeout } from './validation.js';

/** The reply address of an `ask` and the timer behind it, in one object and without an actor. */
export class PendingAsk extends Alarm implements ActorRef {
  readonly name = 'ask';
  private messageType: unknown = undefined;
  private onAbort: (() => void) | undefined = undefined;
  private over = false;

  constructor(
    private readonly target: ActorCell,
    private readonly timeoutMs: number,
    private readonly resolve: (value: never) => void,
    private readonly reject: (error: unknown) => void,
    private readonly signal: AbortSignal | undefined,
  ) {
    super();
  }

  get path(): string {
    return `${this.target.path}?ask`;
  }

  begin(message: unknown): void {
    const { system } = this.target;
    this.messageType = message;
    if (this.signal) {
      this.onAbort = () => this.fail(this.signal!.reason);
      this.signal.addEventListener('abort', this.onAbort, { once: true });
    }
    system.alarms.set(this, this.timeoutMs);
    this.target.deliver(message, this);
  }

  tell(value: unknown): void {
    if (this.over) {
      this.target.system.deadLetters.add(value, undefined, this.path, 'late-reply');
      return;
    }
    this.end();
    this.resolve(value as never);
  }

  fail(error: unknown): void {
    if (this.over) return;
    this.end();
    this.reject(error);
  }

  ring(): void {
    this.fail(new AskTimeoutError(this.target.path, typeOf(this.messageType), this.timeoutMs));
  }

  ask<R>(): Promise<R> {
    return Promise.reject(new TypeError('An ask cannot be asked: send it the reply with tell().'));
  }

  offer(message: unknown, _options?: OfferOptions): Promise<void> {
    this.tell(message);
    return Promise.resolve();
  }

  stop(): void {
    // It ends with its reply.
  }

  whenTerminated(): Promise<void> {
    return Promise.resolve();
  }

  private end(): void {
    this.over = true;
    this.target.system.alarms.cancel(this);
    if (this.onAbort) this.signal!.removeEventListener('abort', this.onAbort);
  }
}

/** See `ActorRef.ask`. */
export function ask<R>(
  target: ActorCell,
  create: (replyTo: ActorRef<R>) => unknown,
  options: AskOptions | undefined,
): Promise<R> {
  return new Promise<R>((resolve, reject) => {
    const timeoutMs = options?.timeoutMs ?? target.system.options.askTimeoutMs;
    assertTimeout(timeoutMs, 'ask({ timeoutMs })');
    options?.signal?.throwIfAborted();
    const pending = new PendingAsk(target, timeoutMs, resolve, reject, options?.signal);
    pending.begin(create(pending));
  });
}
