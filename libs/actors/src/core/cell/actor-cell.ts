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

/** Waiting steps form a ring, so that a queue of any length takes one field of the actor. */
class WorkStep {
  next: WorkStep = this;

  constructor(readonly run: () => void) {}
}

/**
 * An actor: its mailbox, its place in the tree, what it is doing. It is also its own address. How it handles messages is
 * in message-loop.ts, how it starts, restarts and stops in the files of those names, what happens when it fails in
 * supervision/. Those files import only the type of this class and call its methods, so that no imports form a cycle.
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
  /** The last of the steps of its life that come before the next message. */
  work: WorkStep | null = null;
  /** The message being handled and what stands beside it. */
  message: unknown = undefined;
  replyTo: unknown = undefined;
  settled: Settled | null = null;

  /** @param key its name, or a number for one that was given none */
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

  /** Printing an address must not print the whole system. */
  [inspect.custom](): string {
    return `ActorRef(${this.path})`;
  }

  get isFull(): boolean {
    return this.mailbox !== null && this.mailbox.size >= this.capacity;
  }

  /** Messages waiting. */
  get waiting(): number {
    return this.mailbox?.size ?? 0;
  }

  /** Whether it is handling a message, or has some to handle. */
  get isBusy(): boolean {
    return this.activity !== Activity.Idle || (this.mailbox !== null && this.mailbox.size > 0);
  }

  /** Whether an asynchronous handler, or a step of its life, has not settled. */
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
   * Whether the message has got a place in the mailbox.
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

  /** An entry that always has a place in the mailbox. */
  pushInternal(message: unknown, beside: unknown): void {
    if (this.state >= State.Stopping) return;
    (this.mailbox ??= this.props.mailbox.create()).push(message, beside);
    if (this.activity === Activity.Idle && this.state === State.Running) this.schedule();
  }

  pushSignal(signal: Signal): void {
    this.pushInternal(signal, SIGNAL);
  }

  /** A message of its own making, which needs no place in a bounded mailbox. */
  pushOwn(message: unknown): void {
    if (this.state >= State.Stopping) this.deadLetter(message, undefined, 'stopped');
    else this.pushInternal(message, undefined);
  }

  /** The actor has failed, and none of its handlers is running: its supervision decides. */
  fail(error: unknown): void {
    handleFailure(this, error);
  }

  /** The actor fails as if a handler had thrown, as soon as none is running. */
  addFailure(error: unknown): void {
    if (this.state === State.Stopped) this.context.log.error(`failed after it stopped: ${stackOf(error)}`);
    else this.addWork(() => this.fail(error));
  }

  /** A child that has not started. It has its place in the tree only when it is in `children`. */
  createChild(props: Props, key: string | number): ActorCell {
    return new ActorCell(this.system, this, props, key);
  }

  childNamed(name: string): ActorCell | undefined {
    const key = /^\$\d+$/.test(name) ? Number(name.slice(1)) : name;
    return this.children?.get(key);
  }

  /** Something to be done as soon as no handler is running, before the next message. */
  addWork(run: () => void): void {
    const step = new WorkStep(run);
    if (this.work !== null) {
      step.next = this.work.next;
      this.work.next = step;
    }
    this.work = step;
    this.wake();
  }

  /** The first step that waits. Only when `work` is not null. */
  takeWork(): () => void {
    const last = this.work!;
    const first = last.next;
    if (first === last) this.work = null;
    else last.next = first.next;
    return first.run;
  }

  /** It gets its turn, unless it will anyway. */
  wake(): void {
    if (this.activity === Activity.Idle) this.schedule();
  }

  /** Only for one that is neither queued nor running. */
  schedule(): void {
    this.activity = Activity.Queued;
    this.system.dispatcher.enqueue(this);
  }

  /** Whether a turn would be of use. */
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

  /** For the dispatcher. */
  run(budget: number): number {
    try {
      return runMessages(this, budget);
    } catch (error) {
      return failTurn(this, error);
    }
  }

  /** Lets go of everything an ended actor has no use for; addresses may be kept for long. */
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
