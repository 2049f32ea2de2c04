import {
  type ActorClass,
  type ActorRef,
  ActorSystem,
  type Behavior,
  type ContextLogger,
  DuplicateActorNameError,
  NoReplyAddressError,
  NotAChildError,
  NothingToStashError,
  type Props,
  StashFullError,
} from '@roost/actors/core';
import { assertActorName, check } from '@roost/actors/internal';
import { ManualClock } from '@roost/time/testing';
import { type LogEntry, recordingLogger } from '../log-recorder.js';
import {
  type Effect,
  Forwarded,
  MessageAdapted,
  Piped,
  ReceiveTimeoutSet,
  Replied,
  Spawned,
  Stashed,
  Stopped,
  Unstashed,
  Unwatched,
  Watched,
} from './effects.js';
import { InboxRef, TestInbox } from './test-inbox.js';
import { TestTimers } from './test-timers.js';

/** A message and its sender. */
export interface Delivery<M> {
  readonly message: M;
  readonly sender: ActorRef | undefined;
}

/**
 * State shared by a `BehaviorTestKit` and its `TestContext`. It is separate because the context must have no public
 * members besides those of `ActorContext`.
 */
export class ContextState<M> {
  readonly effects: Effect[] = [];
  readonly logs: LogEntry[] = [];
  readonly inbox: TestInbox<M>;
  readonly children = new Map<string, TestInbox>();
  /** Inboxes of all children, including stopped ones. */
  readonly inboxes = new Map<string, TestInbox>();
  readonly abort = new AbortController();
  /** The current message; undefined in a setup or a signal handler. */
  current: Delivery<M> | undefined;
  stash: Delivery<M>[] = [];
  /** Unstashed messages to run next. */
  unstashed: Delivery<M>[] = [];
  /** Whether the behavior has stopped itself with `ctx.stop()`. */
  stopRequested = false;
  madeUpNames = 0;
  #system: ActorSystem | undefined;

  constructor(
    readonly path: string,
    readonly stashCapacity: number,
    readonly clock: ManualClock,
  ) {
    this.inbox = new TestInbox<M>(path);
  }

  /** Created on first use, because few behaviors need it. */
  get system(): ActorSystem {
    return (this.#system ??= new ActorSystem({ name: 'test', clock: this.clock, logger: recordingLogger(this.logs) }));
  }
}

/**
 * Replaces `ActorContext` without an actor: it records calls as effects and delivers messages to inboxes. A spec
 * compares its members with those of `ActorContext`.
 */
export class TestContext<M> {
  readonly #state: ContextState<M>;
  readonly #timers: TestTimers<M>;

  constructor(state: ContextState<M>) {
    this.#state = state;
    this.#timers = new TestTimers<M>((effect) => this.#note(effect));
  }

  get self(): ActorRef<M> {
    return this.#state.inbox.ref;
  }

  get system(): ActorSystem {
    return this.#state.system;
  }

  get path(): string {
    return this.self.path;
  }

  get name(): string {
    return this.self.name;
  }

  get parent(): ActorRef<never> | undefined {
    return undefined;
  }

  get log(): ContextLogger {
    const { path } = this;
    const { debug, log, warn, error } = recordingLogger(this.#state.logs);
    return {
      debug: (message) => debug(message, path),
      log: (message) => log(message, path),
      warn: (message) => warn(message, path),
      error: (message) => error(message, path),
    };
  }

  get signal(): AbortSignal {
    return this.#state.abort.signal;
  }

  get sender(): ActorRef | undefined {
    return this.#state.current?.sender;
  }

  reply(value: unknown): void {
    const { sender } = this;
    if (sender === undefined) throw new NoReplyAddressError(this.path);
    this.#note(new Replied(value, sender));
    sender.tell(value, this.self);
  }

  forward<T>(ref: ActorRef<T>, message: T): void {
    this.#note(new Forwarded(message, ref));
    ref.tell(message, this.sender);
  }

  spawn<T = unknown>(what: Behavior<T> | Props<T> | ActorClass, name?: string): ActorRef<T> {
    const state = this.#state;
    if (name !== undefined) assertActorName(name, this);
    const given = name ?? `$${++state.madeUpNames}`;
    const path = `${this.path}/${given}`;
    if (state.children.has(given)) throw new DuplicateActorNameError(path, false);
    const inbox = new TestInbox<unknown>(path);
    state.children.set(given, inbox);
    state.inboxes.set(given, inbox);
    this.#note(new Spawned(what, given, inbox.ref));
    return inbox.ref;
  }

  stop(child: ActorRef<never> = this.self): void {
    if (child === this.self) this.#state.stopRequested = true;
    else if (this.child(child.name) !== child) throw new NotAChildError(this.path, child.path);
    else this.#state.children.delete(child.name);
    this.#note(new Stopped(child.name, child));
  }

  child(name: string): ActorRef | undefined {
    return this.#state.children.get(name)?.ref;
  }

  get children(): ActorRef[] {
    return [...this.#state.children.values()].map(({ ref }) => ref);
  }

  watch(ref: ActorRef<never>): void {
    this.#note(new Watched(ref));
  }

  watchWith(ref: ActorRef<never>, message: M): void {
    this.#note(new Watched(ref, message));
  }

  unwatch(ref: ActorRef<never>): void {
    this.#note(new Unwatched(ref));
  }

  stash(): void {
    const { current, stash, stashCapacity } = this.#state;
    if (current === undefined) throw new NothingToStashError(this.path);
    if (stash.length >= stashCapacity) throw new StashFullError(this.path, stashCapacity);
    stash.push(current);
    this.#note(new Stashed(current.message));
  }

  unstashAll(): void {
    const state = this.#state;
    if (state.stash.length === 0) return;
    this.#note(new Unstashed(state.stash.map(({ message }) => message)));
    state.unstashed.unshift(...state.stash);
    state.stash = [];
  }

  get timers(): TestTimers<M> {
    return this.#timers;
  }

  setReceiveTimeout(timeoutMs: number | null): void {
    if (timeoutMs !== null) check.timeout(timeoutMs, 'setReceiveTimeout(timeoutMs)');
    this.#note(new ReceiveTimeoutSet(timeoutMs));
  }

  pipeToSelf<T>(promise: PromiseLike<T>, onValue: (value: T) => M, onError?: (error: unknown) => M): void {
    const outcome = Promise.resolve(promise).then(onValue, onError);
    outcome.then(
      (message) => this.self.tell(message),
      // The test can see the rejection in the effect.
      () => undefined,
    );
    this.#note(new Piped(outcome));
  }

  messageAdapter<T>(adapt: (message: T) => M): ActorRef<T> {
    const ref = new InboxRef<T>(this.path, (message, sender) => this.self.tell(adapt(message as T), sender));
    this.#note(new MessageAdapted(ref));
    return ref;
  }

  #note(effect: Effect): void {
    this.#state.effects.push(effect);
  }
}
