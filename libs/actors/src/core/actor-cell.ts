import { ActorContext } from './actor-context.js';
import { ActorExtras, Suspension } from './actor-extras.js';
import type { ActorRef, AskOptions, OfferOptions } from './actor-ref.js';
import { assertTransition, State } from './actor-state.js';
import type { ActorSystem } from './actor-system.js';
import { ask, PendingAsk } from './ask.js';
import { Behavior, isBehavior, SAME } from './behavior.js';
import type { DeadLetterReason } from './dead-letters.js';
import { handleTerminated, unwatch, watch } from './death-watch.js';
import { runChannel } from './diagnostics.js';
import type { Runnable } from './dispatcher.js';
import { DeathPactError } from './errors/death-pact.error.js';
import { InvalidBehaviorError } from './errors/invalid-behavior.error.js';
import { intercepted } from './interceptors.js';
import { beginStop, invokeSignal, resolveBehavior } from './lifecycle.js';
import { isInternal, SIGNAL } from './mailbox/internal-entry.js';
import type { Mailbox } from './mailbox/mailbox.js';
import { admitOffers, makeRoom, offer, waitingOffersOf } from './mailbox/overflow.js';
import type { Props } from './props.js';
import { type Signal, Terminated } from './signals.js';
import { handleFailure } from './supervision/handle-failure.js';
import { Kill, PoisonPill, Resume, Suspend, SystemMessage, Unwatch, Watch } from './system-messages.js';
import { isThenable } from './thenable.js';
import { Throttle } from './throttle.js';
import { ActorTimer } from './timing/actor-timers.js';
import { CallbackAlarm } from './timing/alarm-clock.js';

/** What an actor is doing. */
const Activity = { Idle: 0, Queued: 1, Running: 2, Awaiting: 3 } as const;
type Activity = (typeof Activity)[keyof typeof Activity];

/** What an asynchronous handler calls back: made once for an actor that has such handlers. */
interface Settled {
  readonly value: (value: unknown) => void;
  readonly error: (error: unknown) => void;
}

/** Before an actor has its behavior, and after it has given it up. */
export const NO_BEHAVIOR = Behavior.marker('unhandled');

/**
 * An actor: its mailbox, its place in the tree and the loop that handles one message at a time. It is also its own
 * address. How it starts, restarts and ends is in lifecycle.ts, what happens when it fails in supervision/.
 *
 * @internal
 */
export class ActorCell implements ActorRef, Runnable {
  state: State = State.New;
  private activity: Activity = Activity.Idle;
  behavior: Behavior<unknown> = NO_BEHAVIOR;
  readonly context: ActorContext<unknown>;
  mailbox: Mailbox | null = null;
  capacity: number;
  children: Map<string | number, ActorCell> | null = null;
  extras: ActorExtras | null = null;
  /** Steps of its life that come before the next message. */
  private work: (() => void)[] | null = null;
  /** The message being handled and what stands beside it. */
  message: unknown = undefined;
  replyTo: unknown = undefined;
  private settled: Settled | null = null;

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

  get name(): string {
    return typeof this.key === 'number' ? `$${this.key}` : this.key;
  }

  get path(): string {
    let path = `/${this.name}`;
    for (let { parent } = this; parent !== null; { parent } = parent) path = `/${parent.name}${path}`;
    return path;
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
    if (message instanceof SystemMessage) this.tellSystem(message);
    else this.deliver(message, sender);
  }

  ask<R>(create: (replyTo: ActorRef<R>) => unknown, options?: AskOptions): Promise<R> {
    return ask(this, create, options);
  }

  offer(message: unknown, options?: OfferOptions): Promise<void> {
    return offer(this, message, options);
  }

  stop(): void {
    this.tellSystem(PoisonPill);
  }

  whenTerminated(): Promise<void> {
    if (this.state === State.Stopped) return Promise.resolve();
    const extras = this.needExtras();
    if (extras.end === undefined) {
      let resolve!: () => void;
      const promise = new Promise<void>((done) => (resolve = done));
      extras.end = { promise, resolve };
    }
    return extras.end.promise;
  }

  /** @param replyTo a sender, or the `PendingAsk` of an `ask` */
  deliver(message: unknown, replyTo: unknown): void {
    if (this.state >= State.Stopping) {
      this.deadLetter(message, replyTo, 'stopped');
      return;
    }
    const mailbox = (this.mailbox ??= this.props.mailbox.create());
    if (mailbox.size >= this.capacity && !makeRoom(this, mailbox, message, replyTo)) return;
    mailbox.push(message, replyTo);
    if (this.activity === Activity.Idle && this.state === State.Running) this.schedule();
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

  /** It fails as if a handler had thrown, once none is running. */
  addFailure(error: unknown): void {
    if (this.state < State.Stopping) this.addWork(() => handleFailure(this, error));
  }

  childNamed(name: string): ActorCell | undefined {
    const key = /^\$\d+$/.test(name) ? Number(name.slice(1)) : name;
    return this.children?.get(key);
  }

  /** Something to be done as soon as no handler is running, before the next message. */
  addWork(step: () => void): void {
    if (this.work === null) this.work = [step];
    else this.work.push(step);
    if (this.activity === Activity.Idle) this.schedule();
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

  suspend(why: Suspension): void {
    const extras = this.needExtras();
    extras.suspensions |= why;
    if (this.state === State.Running) this.transition(State.Suspended);
  }

  resume(why: Suspension): void {
    const { extras } = this;
    if (extras === null || (extras.suspensions & why) === 0) return;
    extras.suspensions &= ~why;
    if (extras.suspensions !== 0 || this.state !== State.Suspended) return;
    this.transition(State.Running);
    if (this.activity === Activity.Idle) this.schedule();
  }

  /** Ends it after what is in its mailbox, or after the message it is handling. */
  requestStop(mode: 'drain' | 'kill'): void {
    const cannotDrain = ((this.extras?.suspensions ?? 0) & (Suspension.User | Suspension.Escalated)) !== 0;
    this.tellSystem(mode === 'kill' || cannotDrain ? Kill : PoisonPill);
  }

  /** For the dispatcher. */
  run(budget: number): number {
    this.activity = Activity.Running;
    const { throttle } = this.props;
    let handled = 0;
    let messages = 0;
    let hadMessages = false;
    while (handled < budget) {
      if (this.work !== null) {
        handled++;
        this.doWork();
        if (this.isAwaiting) break;
        continue;
      }
      const { mailbox } = this;
      if (this.state !== State.Running || mailbox === null || mailbox.size === 0) break;
      if (throttle !== undefined && !this.admit()) break;
      handled++;
      const message = mailbox.take();
      const beside = mailbox.takenReplyTo;
      let replyTo = beside;
      if (beside !== undefined || message === PoisonPill) {
        const isMessage = this.takeSpecial(message, beside);
        if (this.isAwaiting) break;
        if (!isMessage) continue;
        if (beside instanceof ActorTimer) replyTo = undefined;
        else hadMessages = true;
      } else hadMessages = true;
      messages++;
      this.message = message;
      this.replyTo = replyTo;
      let result: unknown;
      try {
        result = this.behavior.onMessage(this.context, message);
      } catch (error) {
        this.fail(error);
        continue;
      }
      if (result !== undefined && result !== SAME) {
        this.apply(result);
        if (this.isAwaiting) break;
      }
    }
    if (hadMessages) this.extras?.receiveTimeout?.touch();
    if (messages > 0 && runChannel.hasSubscribers) runChannel.publish({ ref: this, messages });
    if (!this.isAwaiting) this.rest();
    return handled;
  }

  /** Takes over what a handler has returned. */
  apply(result: unknown): void {
    if (isThenable(result)) {
      this.awaitHandler(result);
      return;
    }
    if (!isBehavior(result)) {
      this.fail(new InvalidBehaviorError(`What a handler of ${this.path} returns`, 'a behavior or nothing', result));
      return;
    }
    if (result.kind === 'unhandled') this.deadLetter(this.message, this.replyTo, 'unhandled');
    else this.become(result);
  }

  become(next: Behavior<never>): void {
    if (next.kind === 'same' || next.kind === 'unhandled') return;
    resolveBehavior(
      this,
      next,
      (ready) => (ready === undefined ? beginStop(this, 'drain') : this.setBehavior(ready)),
      (error) => this.fail(error),
    );
  }

  /** A behavior without a supervision of its own keeps the one of the behavior before it. */
  setBehavior(next: Behavior<unknown>): void {
    const { supervision } = this.behavior;
    const supervised = supervision && !next.supervision ? Behavior.supervise(next, supervision) : next;
    this.behavior = intercepted(supervised, this.props.interceptors);
  }

  /** The handler of the current message has thrown. */
  fail(error: unknown): void {
    if (this.replyTo instanceof PendingAsk) this.replyTo.fail(error);
    handleFailure(this, error);
  }

  /** Waits for a step of the actor's life; no message is handled meanwhile. */
  hold(promise: PromiseLike<unknown>, onValue: (value: unknown) => void, onError: (error: unknown) => void): void {
    this.activity = Activity.Awaiting;
    const goOnWith = (step: (result: unknown) => void) => (result: unknown) => {
      if (this.state === State.Stopped) return;
      this.activity = Activity.Running;
      step(result);
      if (!this.isAwaiting) this.goOn();
    };
    Promise.resolve(promise).then(goOnWith(onValue), goOnWith(onError));
  }

  /** What is waiting becomes dead letters. */
  closeMailbox(): void {
    const { mailbox, extras } = this;
    this.mailbox = null;
    this.discard(extras?.stash ?? []);
    while (mailbox !== null && mailbox.size > 0) {
      const message = mailbox.take();
      const beside = mailbox.takenReplyTo;
      if (!isInternal(message, beside)) this.deadLetter(message, beside, 'stopped');
    }
    extras?.offers?.refuseAll(this);
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

  private tellSystem(message: SystemMessage): void {
    if (message === PoisonPill) this.pushPoisonPill();
    else if (message === Kill) this.kill();
    else if (message === Suspend) {
      if (this.state < State.Stopping) this.suspend(Suspension.User);
    } else if (message === Resume) this.resume(Suspension.User);
    else if (message instanceof Watch) watch(message.watcher, this);
    else if (message instanceof Unwatch) unwatch(message.watcher, this);
  }

  private pushPoisonPill(): void {
    const offers = this.extras?.offers;
    if (offers && offers.size > 0 && this.state < State.Stopping) waitingOffersOf(this).waitForEnd();
    else this.pushInternal(PoisonPill, undefined);
  }

  private kill(): void {
    if (this.state >= State.Stopping) return;
    this.extras?.abort?.abort();
    this.addWork(() => beginStop(this, 'kill'));
  }

  private schedule(): void {
    this.activity = Activity.Queued;
    this.system.dispatcher.enqueue(this);
  }

  private doWork(): void {
    const steps = this.work!;
    const step = steps.shift()!;
    if (steps.length === 0) this.work = null;
    step();
  }

  /**
   * An entry that is not a plain message. True for one that is to be handled as a message after all: it has a sender, is
   * asked, or comes from a timer.
   */
  private takeSpecial(message: unknown, beside: unknown): boolean {
    if (message === PoisonPill) {
      beginStop(this, 'drain');
      return false;
    }
    if (beside === SIGNAL) {
      this.handleSignal(message as Signal);
      return false;
    }
    return !(beside instanceof ActorTimer) || beside.claim();
  }

  private handleSignal(signal: Signal): void {
    if (signal instanceof Terminated && !handleTerminated(this, signal)) return;
    this.message = signal;
    this.replyTo = undefined;
    invokeSignal(
      this,
      signal,
      (result) => this.afterSignal(signal, result),
      (error) => this.fail(error),
    );
  }

  private afterSignal(signal: Signal, result: unknown): void {
    const unhandled = isBehavior(result) && result.kind === 'unhandled';
    if (unhandled && signal instanceof Terminated) this.fail(new DeathPactError(this.path, signal.ref.path));
    else if (result !== undefined && !unhandled) this.apply(result);
  }

  private awaitHandler(promise: PromiseLike<unknown>): void {
    this.activity = Activity.Awaiting;
    const { value, error } = (this.settled ??= this.createSettled());
    // A thenable of another kind might call back twice, or at once.
    (promise instanceof Promise ? promise : Promise.resolve(promise)).then(value, error);
  }

  private createSettled(): Settled {
    return {
      value: (value) => {
        if (this.state === State.Stopped) return;
        this.activity = Activity.Running;
        if (value !== undefined && value !== SAME) this.apply(value);
        this.extras?.receiveTimeout?.touch();
        if (!this.isAwaiting) this.goOn();
      },
      error: (error) => {
        if (this.state === State.Stopped) return;
        this.activity = Activity.Running;
        this.fail(error);
        if (!this.isAwaiting) this.goOn();
      },
    };
  }

  /** After something asynchronous has settled: at once if nobody else is to run, or else in its turn. */
  private goOn(): void {
    if (!this.hasMore()) this.rest();
    else if (!this.system.dispatcher.resume(this)) this.schedule();
  }

  private hasMore(): boolean {
    return this.work !== null || (this.state === State.Running && this.mailbox !== null && this.mailbox.size > 0);
  }

  private rest(): void {
    this.message = undefined;
    this.replyTo = undefined;
    const offers = this.extras?.offers;
    this.activity = Activity.Idle;
    if (offers && offers.size > 0 && this.state < State.Stopping) admitOffers(this, offers);
    if (this.isIdle && this.hasMore() && !this.isThrottled()) this.schedule();
  }

  private get isIdle(): boolean {
    return this.activity === Activity.Idle;
  }

  private isThrottled(): boolean {
    return this.work === null && this.extras?.throttle?.alarm.pending === true;
  }

  /** Under a throttle: whether the next message may be handled now. If not, an alarm is set for when it may. */
  private admit(): boolean {
    const extras = this.needExtras();
    extras.throttle ??= {
      gate: new Throttle(this.props.throttle!),
      alarm: new CallbackAlarm(() => {
        if (this.isIdle && this.hasMore()) this.schedule();
      }),
    };
    const { gate, alarm } = extras.throttle;
    if (alarm.pending) return false;
    const { alarms } = this.system;
    const waitMs = gate.admit(alarms.clock.monotonic());
    if (waitMs > 0) alarms.set(alarm, waitMs);
    return waitMs <= 0;
  }

  private discard(entries: unknown[]): void {
    for (let i = 0; i < entries.length; i += 2) this.deadLetter(entries[i], entries[i + 1], 'stopped');
  }
}
