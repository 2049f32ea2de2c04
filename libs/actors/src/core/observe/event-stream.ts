import { Observable, Subject } from 'rxjs';
import type { ActorRef } from '../actor-ref.js';
import { InvalidActorOptionError } from '../errors/invalid-actor-option.error.js';
import type { MessageClass } from '../message-class.js';
import type { Directive } from '../supervision/directive.js';

/**
 * Publish and subscribe within a system, by class: who subscribes to a class gets its subclasses too. The system itself
 * publishes `DeadLetter`, `ActorFailed`, `ActorRestarted` and `ActorStopped`.
 *
 * @publicApi
 */
export class EventStream {
  readonly #all = new Subject<object>();
  /** Everything that is published. Emits synchronously, completes when the system has ended. */
  readonly events$: Observable<object> = this.#all.asObservable();
  readonly #subscribers = new Map<MessageClass, Set<ActorRef<never>>>();
  readonly #onRefused: (event: object, path: string) => void;

  /** @internal @param onRefused a full mailbox with `Overflow.Throw`: whoever publishes must not suffer for it */
  constructor(onRefused: (event: object, path: string) => void) {
    this.#onRefused = onRefused;
  }

  /** Sends the event to all that have subscribed to its class. With nobody subscribed it does next to nothing. */
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
   * Events of this class, as messages to the actor, until it ends. Subscribing twice changes nothing.
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

  /** @param type @default all that it has subscribed to */
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

/** An actor has thrown, and this is what becomes of it. @publicApi */
export class ActorFailed {
  constructor(
    readonly ref: ActorRef<never>,
    readonly error: unknown,
    readonly directive: Directive,
    /** Class of the message or signal that it was handling; undefined when it was none, or a child's failure. */
    readonly messageType: string | undefined,
  ) {}
}

/** An actor has been replaced by a fresh instance. @publicApi */
export class ActorRestarted {
  constructor(
    readonly ref: ActorRef<never>,
    /** How often so far. */
    readonly restarts: number,
  ) {}
}

/** An actor has ended. @publicApi */
export class ActorStopped {
  constructor(readonly ref: ActorRef<never>) {}
}
