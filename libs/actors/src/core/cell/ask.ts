import { inspect } from 'node:util';
import type { ActorRef, AskOptions } from '../actor-ref.js';
import type { ActorCell } from './actor-cell.js';
import { typeOf } from '../type-of.js';
import { AskTimeoutError } from '../errors/ask-timeout.error.js';
import { UndeliveredError } from '../errors/undelivered.error.js';
import { BriefAlarm } from '../timing/alarm-clock.js';
import { check } from '../option-checks.js';

/** The reply address of an `ask` and its timeout in one object, without an actor. */
export class PendingAsk extends BriefAlarm implements ActorRef {
  private message: unknown = undefined;
  private stopListening: (() => void) | null = null;
  private over = false;

  constructor(
    private readonly target: ActorCell,
    timeoutMs: number,
    private readonly resolve: (value: never) => void,
    private readonly reject: (error: unknown) => void,
  ) {
    super(timeoutMs);
  }

  get name(): string {
    return 'ask';
  }

  get path(): string {
    return `${this.target.path}?ask`;
  }

  [inspect.custom](): string {
    return `ActorRef(${this.path})`;
  }

  begin(message: unknown, signal: AbortSignal | undefined): void {
    this.message = message;
    if (signal) this.listenTo(signal);
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

  /** Rejects when the system has stopped, because no actor can reply. */
  override abandon(): void {
    this.fail(new UndeliveredError(this.target.path, typeOf(this.message), 'stopped'));
  }

  ask<R>(): Promise<R> {
    return Promise.reject(new TypeError('A reply address cannot be asked. Send the reply with tell().'));
  }

  offer(message: unknown, _options?: { signal?: AbortSignal }): Promise<void> {
    this.tell(message);
    return Promise.resolve();
  }

  stop(): void {
    // It ends with its reply.
  }

  whenTerminated(): Promise<void> {
    return Promise.resolve();
  }

  private listenTo(signal: AbortSignal): void {
    const onAbort = (): void => this.fail(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    this.stopListening = () => signal.removeEventListener('abort', onAbort);
  }

  private end(): void {
    this.over = true;
    this.message = undefined;
    this.target.system.alarms.cancel(this);
    this.stopListening?.();
  }
}

/** Fast path of `check.knownKeys`, which every `ask` takes. */
function assertKeys(options: AskOptions): void {
  for (const key in options) {
    if (key !== 'timeoutMs' && key !== 'signal') check.knownKeys(options, ['timeoutMs', 'signal'], 'ask');
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
    // The default was validated with the system's options.
    if (options !== undefined) {
      assertKeys(options);
      check.timeout(timeoutMs, 'ask({ timeoutMs })');
    }
    options?.signal?.throwIfAborted();
    const pending = new PendingAsk(target, timeoutMs, resolve, reject);
    pending.begin(create(pending), options?.signal);
  });
}
