import { Observable, Subject } from 'rxjs';
import type { ActorRef } from '../actor-ref.js';
import { InvalidActorOptionError } from '../errors/invalid-actor-option.error.js';
import type { MessageClass } from '../message-class.js';
import type { Directive } from '../supervision/directive.js';

/**
 * Publishes events to subscribed actors by class. A subscription to a class includes its subclasses. The system itself
 * publishes `DeadLetter`, `ActorFailed`, `ActorRestarted` and `ActorStopped`.
 *
 * @example
 * ```ts
 * import { ActorFailed, ActorSystem, Behavior } from '@roost/actors';
 *
 * const system = new ActorSystem();
 * const alerts = system.spawn(
 *   Behavior.receive((ctx, { ref, directive }: ActorFailed) => {
 *     ctx.log.warn(`${ref.path} failed: ${directive}`);
 *   }),
 *   'alerts',
 * );
 * system.events.subscribe(alerts, ActorFailed);
 * ```
 *
 * @publicApi
 */
export class EventStream {
  readonly #all = new Subject<object>();
  /** All published events. Emits synchronously, and completes when the system has stopped. */
  readonly events$: Observable<object> = this.#all.asObservable();
  readonly #subscribers = new Map<MessageClass, Set<ActorRef<never>>>();
  readonly #onRefused: (event: object, path: string) => void;

  /**
   * @internal @param onRefused called for a full mailbox with `Overflow.Throw`, so that the error does not reach the
   * publisher
   */
  constructor(onRefused: (event: object, path: string) => void) {
    this.#onRefused = onRefused;
  }

  /** Sends the event to all subscribers of its class. Almost free without subscribers. */
  publish(event: object): void {
    this.show(event);
    if (this.#subscribers.size === 0) return;
    let told: Set<ActorRef<never>> | undefined;
    for (let type = Object.getPrototypeOf(event) as object | null; type; type = Object.getPrototypeOf(type) as object) {
      for (const ref of this.#subscribers.get(type.constructor as MessageClass) ?? []) {
        if (told?.has(ref)) continue;
        (told ??= new Set()).add(ref);
        try {
          (ref as ActorRef<object>).tell(event);
        } catch {
          this.#onRefused(event, ref.path);
        }
      }
    }
  }

  /** @internal Publishes to observers only. */
  show(event: object): void {
    if (this.#all.observed) this.#all.next(event);
  }

  /**
   * Sends events of this class to the actor, until the actor stops. Subscribing twice has no effect.
   *
   * @throws InvalidActorOptionError unless `type` is a class
   */
  subscribe<E extends object>(subscriber: ActorRef<E>, type: MessageClass<E>): void {
    if (typeof type !== 'function') throw new InvalidActorOptionError('subscribe(type)', type, 'a class');
    const refs = this.#subscribers.get(type);
    if (refs?.has(subscriber)) return;
    if (refs) refs.add(subscriber);
    else this.#subscribers.set(type, new Set([subscriber]));
    void subscriber.whenTerminated().then(() => this.unsubscribe(subscriber, type));
  }

  /** Ends a subscription. @param type @default all classes that the actor has subscribed to */
  unsubscribe(subscriber: ActorRef<never>, type?: MessageClass): void {
    for (const [subscribed, refs] of this.#subscribers) {
      if (type !== undefined && type !== subscribed) continue;
      refs.delete(subscriber);
      if (refs.size === 0) this.#subscribers.delete(subscribed);
    }
  }

  /** @internal */
  close(): void {
    this.#all.complete();
    this.#subscribers.clear();
  }
}

/** An actor failed. `directive` is the decision of its supervision. @publicApi */
export class ActorFailed {
  constructor(
    readonly ref: ActorRef<never>,
    readonly error: unknown,
    readonly directive: Directive,
    /**
     * Class of the message or signal being handled; undefined outside of a handler, and for a child's escalated
     * failure.
     */
    readonly messageType: string | undefined,
  ) {}
}

/** An actor was restarted with a new instance. @publicApi */
export class ActorRestarted {
  constructor(
    readonly ref: ActorRef<never>,
    /** Number of restarts so far. */
    readonly restarts: number,
  ) {}
}

/** An actor has stopped. @publicApi */
export class ActorStopped {
  constructor(readonly ref: ActorRef<never>) {}
}
