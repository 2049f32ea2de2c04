import { inspect } from 'node:util';
import type { ActorRef, AskOptions, OfferOptions } from './actor-ref.js';
import type { ActorCell } from './actor-cell.js';
import { typeOf } from './error-text.js';
import { AskTimeoutError } from './errors/ask-timeout.error.js';
import { UndeliveredError } from './errors/undelivered.error.js';
import { BriefAlarm } from './timing/alarm-clock.js';
import { assertTimeout } from './validation.js';

/** The reply address of an `ask` and the timer behind it, in one object and without an actor. */
export class PendingAsk extends BriefAlarm implements ActorRef {
  readonly name = 'ask';
  private message: unknown = undefined;
  private onAbort: (() => void) | undefined = undefined;
  private over = false;

  constructor(
    private readonly target: ActorCell,
    timeoutMs: number,
    private readonly resolve: (value: never) => void,
    private readonly reject: (error: unknown) => void,
    private readonly signal: AbortSignal | undefined,
  ) {
    super(timeoutMs);
  }

  get path(): string {
    return `${this.target.path}?ask`;
  }

  [inspect.custom](): string {
    return `ActorRef(${this.path})`;
  }

  begin(message: unknown): void {
    this.message = message;
    if (this.signal) {
      this.onAbort = () => this.fail(this.signal!.reason);
      this.signal.addEventListener('abort', this.onAbort, { once: true });
    }
    this.target.system.alarms.setBrief(this);
    this.target.deliver(message, this);
  }

  tell(value: unknown, sender?: ActorRef<never>): void {
    if (this.over) {
      this.target.system.deadLetters.add(value, sender, this.path, 'late-reply');
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
    this.fail(new AskTimeoutError(this.target.path, typeOf(this.message), this.delayMs));
  }

  /** The system has ended, and nobody is left to reply. */
  override abandon(): void {
    this.fail(new UndeliveredError(this.target.path, typeOf(this.message), 'stopped'));
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
    this.message = undefined;
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
