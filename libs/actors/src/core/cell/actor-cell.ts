import { inspect } from 'node:util';
import { deferred, stackOf } from '@roost/kernel';
import { ActorContext } from '../actor-context.js';
import { ActorExtras } from './actor-extras.js';
import type { ActorRef, AskOptions } from '../actor-ref.js';
import { Activity, assertTransition, State } from './actor-state.js';
import type { ActorSystem } from '../actor-system.js';
import { ask } from './ask.js';
import { type Behavior, NO_BEHAVIOR } from '../behavior.js';
import type { DeadLetterReason } from '../observe/dead-letters.js';
import { CELL, type LocalRef } from './cell-of.js';
import { deliverSystemMessage } from './deliver-system-message.js';
import type { Runnable } from '../dispatch/dispatcher.js';
import { SIGNAL } from '../mailbox/internal-entry.js';
import type { Mailbox } from '../mailbox/mailbox.js';
import { applyOverflow, offer } from '../mailbox/overflow.js';
import { failTurn, runMessages, type Settled } from './message-loop.js';
import type { Props } from '../props.js';
import type { Signal } from '../signals.js';
import { handleFailure } from '../supervision/handle-failure.js';
import { PoisonPill, SystemMessage } from '../system-messages.js';

/** Pending steps form a ring, so that a queue of any length takes one field of the actor. */
class WorkStep {
  next: WorkStep = this;

  constructor(readonly run: () => void) {}
}

/**
 * An actor: its mailbox, its place in the tree and its current activity. It is also its own address. message-loop.ts
 * handles its messages; start.ts, restart.ts and stop.ts contain its lifecycle, and supervision/ its failures. They
 * import only the type of this class and call its methods, so that imports form no cycle.
 */
export class ActorCell implements ActorRef, LocalRef, Runnable {
  state: State = State.Ready;
  activity: Activity = Activity.Idle;
  behavior: Behavior<unknown> = NO_BEHAVIOR;
  readonly context: ActorContext<unknown>;
  mailbox: Mailbox | null = null;
  capacity: number;
  children: Map<string | number, ActorCell> | null = null;
  extras: ActorExtras | null = null;
  /** Last of the lifecycle steps to run before the next message. */
  work: WorkStep | null = null;
  /** The current message, with its reply address and the callbacks of its promise. */
  message: unknown = undefined;
  replyTo: unknown = undefined;
  settled: Settled | null = null;

  /** @param key name of the actor, or a number if it has a generated name */
  constructor(
    readonly system: ActorSystem,
    readonly parent: ActorCell | null,
    readonly props: Props,
    readonly key: string | number,
  ) {
    this.context = new ActorContext<unknown>(this);
    this.capacity = props.mailbox.capacity;
  }

  get [CELL](): this {
    return this;
  }

  get name(): string {
    return typeof this.key === 'number' ? `$${this.key}` : this.key;
  }

  get path(): string {
    let path = `/${this.name}`;
    for (let { parent } = this; parent !== null; { parent } = parent) path = `/${parent.name}${path}`;
    return path;
  }

  /** Keeps `console.log` of an address from printing the whole system. */
  [inspect.custom](): string {
    return `ActorRef(${this.path})`;
  }

  get isFull(): boolean {
    return this.mailbox !== null && this.mailbox.size >= this.capacity;
  }

  /** Number of messages in the mailbox. */
  get waiting(): number {
    return this.mailbox?.size ?? 0;
  }

  /** Whether the actor is handling a message or has messages waiting. */
  get isBusy(): boolean {
    return this.activity !== Activity.Idle || (this.mailbox !== null && this.mailbox.size > 0);
  }

  /** Whether an asynchronous handler or lifecycle step has not settled. */
  get isAwaiting(): boolean {
    return this.activity === Activity.Awaiting;
  }

  tell(message: unknown, sender?: ActorRef<never>): void {
    if (message instanceof SystemMessage) deliverSystemMessage(this, message);
    else this.deliver(message, sender);
  }

  ask<R>(create: (replyTo: ActorRef<R>) => unknown, options?: AskOptions): Promise<R> {
    return ask(this, create, options);
  }

  offer(message: unknown, options?: { signal?: AbortSignal }): Promise<void> {
    return offer(this, message, options);
  }

  stop(): void {
    deliverSystemMessage(this, PoisonPill);
  }

  whenTerminated(): Promise<void> {
    if (this.state === State.Stopped) return Promise.resolve();
    const extras = this.needExtras();
    return (extras.end ??= deferred()).promise;
  }

  /**
   * Returns whether the mailbox accepted the message.
   *
   * @param replyTo a sender, or the `PendingAsk` of an `ask`
   */
  deliver(message: unknown, replyTo: unknown): boolean {
    if (this.state >= State.Stopping) {
      this.deadLetter(message, replyTo, 'stopped');
      return false;
    }
    const mailbox = (this.mailbox ??= this.props.mailbox.create());
    if (mailbox.size >= this.capacity && !applyOverflow(this, mailbox, message, replyTo)) return false;
    mailbox.push(message, replyTo);
    if (this.activity === Activity.Idle && this.state === State.Running) this.schedule();
    return true;
  }

  /** Adds an entry even if the mailbox is full. */
  pushInternal(message: unknown, beside: unknown): void {
    if (this.state >= State.Stopping) return;
    (this.mailbox ??= this.props.mailbox.create()).push(message, beside);
    if (this.activity === Activity.Idle && this.state === State.Running) this.schedule();
  }

  pushSignal(signal: Signal): void {
    this.pushInternal(signal, SIGNAL);
  }

  /** Adds a message from the actor to itself, even if the mailbox is full. */
  pushOwn(message: unknown): void {
    if (this.state >= State.Stopping) this.deadLetter(message, undefined, 'stopped');
    else this.pushInternal(message, undefined);
  }

  /** Lets the supervision handle a failure. Only while no handler is running. */
  fail(error: unknown): void {
    handleFailure(this, error);
  }

  /** Fails the actor as if a handler had thrown, as soon as none is running. */
  addFailure(error: unknown): void {
    if (this.state === State.Stopped) this.context.log.error(`failed after it stopped: ${stackOf(error)}`);
    else this.addWork(() => this.fail(error));
  }

  /** Creates a child that has not started. The caller adds it to `children`. */
  createChild(props: Props, key: string | number): ActorCell {
    return new ActorCell(this.system, this, props, key);
  }

  childNamed(name: string): ActorCell | undefined {
    const key = /^\$\d+$/.test(name) ? Number(name.slice(1)) : name;
    return this.children?.get(key);
  }

  /** Queues a step to run before the next message, as soon as no handler is running. */
  addWork(run: () => void): void {
    const step = new WorkStep(run);
    if (this.work !== null) {
      step.next = this.work.next;
      this.work.next = step;
    }
    this.work = step;
    this.wake();
  }

  /** Removes and returns the first pending step. Only when `work` is not null. */
  takeWork(): () => void {
    const last = this.work!;
    const first = last.next;
    if (first === last) this.work = null;
    else last.next = first.next;
    return first.run;
  }

  /** Schedules a turn unless one is due anyway. */
  wake(): void {
    if (this.activity === Activity.Idle) this.schedule();
  }

  /** Only for an actor that is neither queued nor running. */
  schedule(): void {
    this.activity = Activity.Queued;
    this.system.dispatcher.enqueue(this);
  }

  /** Whether the actor has work for another turn. */
  get hasMore(): boolean {
    return this.work !== null || (this.state === State.Running && this.mailbox !== null && this.mailbox.size > 0);
  }

  deadLetter(message: unknown, replyTo: unknown, reason: DeadLetterReason): void {
    this.system.deadLetters.add(message, replyTo, this.path, reason);
  }

  needExtras(): ActorExtras {
    return (this.extras ??= new ActorExtras());
  }

  transition(to: State): void {
    assertTransition(this.state, to, () => this.path);
    this.state = to;
  }

  /** Called by the dispatcher. */
  run(budget: number): number {
    try {
      return runMessages(this, budget);
    } catch (error) {
      return failTurn(this, error);
    }
  }

  /** Releases everything that a stopped actor no longer needs, because its address may live on. */
  release(): void {
    this.mailbox = null;
    this.children = null;
    this.extras = null;
    this.work = null;
    this.message = undefined;
    this.replyTo = undefined;
    this.settled = null;
    this.behavior = NO_BEHAVIOR;
    this.activity = Activity.Idle;
  }
}
