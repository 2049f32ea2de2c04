import { isDeepStrictEqual } from 'node:util';
import {
  type ActorContext,
  type ActorRef,
  Behavior,
  DeathPactError,
  InvalidBehaviorError,
  PostStop,
  PreStart,
  type Signal,
  Terminated,
} from '@roost/actors/core';
import { assertActorName, internalsOf } from '@roost/actors/internal';
import { ManualClock } from '@roost/time/testing';
import { AsyncHandlerError } from '../errors/async-handler.error.js';
import { BehaviorBusyError } from '../errors/behavior-busy.error.js';
import { BehaviorStoppedError } from '../errors/behavior-stopped.error.js';
import { ProbeAssertionError } from '../errors/probe-assertion.error.js';
import type { LogEntry } from '../log-recorder.js';
import { check } from '../option-checks.js';
import { show, showList } from '../show.js';
import { type Effect, Unhandled } from './effects.js';
import { ContextState, type Delivery, TestContext } from './test-context.js';
import { TestInbox } from './test-inbox.js';

/** Options of `BehaviorTestKit.create()`. @publicApi */
export interface BehaviorTestKitOptions {
  /** Name of the actor. @default 'behavior' */
  name?: string;
  /** Maximum number of stashed messages. @default 1_000 */
  stashCapacity?: number;
  /** Clock of `ctx.system`. @default a new `ManualClock` */
  clock?: ManualClock;
}

/** Work that yields each promise it meets, so that it can be driven synchronously or asynchronously. */
type Steps<T = void> = Generator<PromiseLike<unknown>, T, unknown>;

/** A class of effects. @publicApi */
export type EffectClass<E extends Effect> = abstract new (...args: never[]) => E;

/**
 * Runs one behavior synchronously, without an actor system: `run(message)` returns when the message has been handled.
 * Calls to the context are recorded as effects, and messages to itself and to its children go to inboxes. Nothing else
 * happens: children and timers do not run, and there is no supervision, so `run` throws the handler's error.
 *
 * @example
 * ```ts
 * import { Behavior } from '@roost/actors';
 * import { BehaviorTestKit, TimerScheduled } from '@roost/testkit';
 *
 * const greeter = Behavior.receive<string>((ctx, name) => {
 *   ctx.timers.once('again', name, 1_000);
 *   ctx.reply(`hello ${name}`);
 * });
 *
 * const kit = BehaviorTestKit.create(greeter);
 * const reply = kit.ask<string>(() => 'Ada'); // 'hello Ada'
 * kit.expectEffect(TimerScheduled, { key: 'again', delayMs: 1_000 });
 * console.log(reply);
 * ```
 *
 * @publicApi
 */
export class BehaviorTestKit<M = unknown> {
  /** Messages from the behavior to itself, including those from message adapters and `pipeToSelf`. They are not run. */
  readonly selfInbox: TestInbox<M>;
  /** Lines that the behavior has logged. */
  readonly log: readonly LogEntry[];
  readonly #state: ContextState<M>;
  readonly #context: ActorContext<M>;
  #behavior: Behavior<M>;
  #alive = true;
  #busy = false;

  private constructor(behavior: Behavior<M>, options: BehaviorTestKitOptions) {
    check.knownKeys(options, ['name', 'stashCapacity', 'clock'], 'BehaviorTestKit');
    const { name = 'behavior', stashCapacity = 1_000, clock = new ManualClock() } = options;
    assertActorName(name, { path: '/test' });
    check.number(stashCapacity, 'stashCapacity', { least: 1, whole: true });
    if (!(behavior instanceof Behavior) || !['receive', 'setup'].includes(internalsOf(behavior).kind)) {
      throw new InvalidBehaviorError('The behavior under test', 'a behavior that can be started', behavior);
    }
    this.#state = new ContextState<M>(`/test/${name}`, stashCapacity, clock);
    // Provides the members of the real context, which would need an actor.
    this.#context = new TestContext<M>(this.#state) as unknown as ActorContext<M>;
    this.#behavior = behavior;
    this.selfInbox = this.#state.inbox;
    this.log = this.#state.logs;
  }

  /**
   * Creates a kit and runs the setup, if there is one, and `PreStart`.
   *
   * @throws AsyncHandlerError when one of them is asynchronous; the error of the setup
   */
  static create<M>(behavior: Behavior<M>, options: BehaviorTestKitOptions = {}): BehaviorTestKit<M> {
    const kit = new BehaviorTestKit<M>(behavior, options);
    kit.#drive(kit.#start(), 'The start of the behavior', 'BehaviorTestKit.createAsync()');
    return kit;
  }

  /** Like `create`, for behaviors with an asynchronous setup. */
  static async createAsync<M>(
    behavior: Behavior<M>,
    options: BehaviorTestKitOptions = {},
  ): Promise<BehaviorTestKit<M>> {
    const kit = new BehaviorTestKit<M>(behavior, options);
    await kit.#driveAsync(kit.#start(), 'a start');
    return kit;
  }

  /** False once the behavior has stopped, after its `PostStop`. */
  get isAlive(): boolean {
    return this.#alive;
  }

  /** The behavior for the next message; `Behavior.stopped()` once it has stopped. */
  get currentBehavior(): Behavior<M> {
    return this.#alive ? this.#behavior : Behavior.stopped();
  }

  /** The context passed to handlers. */
  get context(): ActorContext<M> {
    return this.#context;
  }

  /**
   * Handles a message, and then the messages unstashed by its handler.
   *
   * @throws AsyncHandlerError when the handler is asynchronous; BehaviorStoppedError; the error of the handler
   */
  run(message: M, sender?: ActorRef): void {
    this.#assertAlive(show(message));
    this.#drive(this.#receive({ message, sender }), `The handler of ${show(message)}`, 'kit.runAsync()');
  }

  /** Like `run`, but resolves when the handler has settled. */
  async runAsync(message: M, sender?: ActorRef): Promise<void> {
    this.#assertAlive(show(message));
    await this.#driveAsync(this.#receive({ message, sender }), show(message));
  }

  /**
   * Handles a signal. An unhandled `Terminated` throws `DeathPactError`, which would fail an actor.
   *
   * @throws AsyncHandlerError, BehaviorStoppedError; the error of the handler
   */
  signal(signal: Signal): void {
    this.#assertAlive(show(signal));
    this.#drive(this.#receiveSignal(signal), `The handler of ${show(signal)}`, 'kit.signalAsync()');
  }

  /** Like `signal`, but resolves when the handler has settled. */
  async signalAsync(signal: Signal): Promise<void> {
    this.#assertAlive(show(signal));
    await this.#driveAsync(this.#receiveSignal(signal), show(signal));
  }

  /**
   * Handles a message and returns the reply: the first message to `replyTo`, or the value passed to `ctx.reply()`.
   *
   * @throws ProbeAssertionError when there is no reply; otherwise as `run`
   */
  ask<R>(create: (replyTo: ActorRef<R>) => M): R {
    const { inbox, message } = this.#question(create);
    this.run(message, inbox.ref as ActorRef);
    return replyIn(inbox, message);
  }

  /** Like `ask`, for asynchronous handlers. */
  async askAsync<R>(create: (replyTo: ActorRef<R>) => M): Promise<R> {
    const { inbox, message } = this.#question(create);
    await this.runAsync(message, inbox.ref as ActorRef);
    return replyIn(inbox, message);
  }

  /** Effects that no `expectEffect` has taken yet, oldest first. */
  get effects(): readonly Effect[] {
    return [...this.#state.effects];
  }

  /**
   * Takes the oldest effect of this class with these fields, compared by `util.isDeepStrictEqual`.
   *
   * @throws ProbeAssertionError when there is none; its message lists all effects
   */
  expectEffect<E extends Effect>(type: EffectClass<E>, fields: Partial<E> = {}): E {
    const { effects } = this.#state;
    const matches = (effect: Effect): effect is E =>
      effect instanceof type &&
      Object.entries(fields).every(([key, value]) => isDeepStrictEqual(effect[key as keyof E], value));
    const found = effects.find(matches);
    if (found === undefined) {
      const wanted = Object.keys(fields).length > 0 ? `${type.name} with ${show(fields)}` : type.name;
      throw this.#noEffect(`the effect ${wanted}`);
    }
    effects.splice(effects.indexOf(found), 1);
    return found;
  }

  /** @throws ProbeAssertionError when there are effects that no `expectEffect` has taken */
  expectNoEffects(): void {
    if (this.#state.effects.length > 0) throw this.#noEffect('no effects');
  }

  /** Discards all effects, for instance after the setup. */
  clearEffects(): void {
    this.#state.effects.length = 0;
  }

  /**
   * Returns the messages to a child, even if the child has been stopped. If several children had that name, returns
   * those of the last one.
   *
   * @throws ProbeAssertionError when there was no such child
   */
  childInbox<T = unknown>(name: string): TestInbox<T> {
    const { inboxes } = this.#state;
    const inbox = inboxes.get(name);
    if (inbox) return inbox as unknown as TestInbox<T>;
    const known = inboxes.size > 0 ? `it spawned only ${[...inboxes.keys()].join(', ')}` : 'it spawned none';
    throw new ProbeAssertionError(`${this.#context.path} expected a child named ${show(name)}, but ${known}`);
  }

  *#start(): Steps {
    yield* this.#become(this.#behavior, 'The behavior under test', undefined);
    if (this.#alive) yield* this.#receiveSignal(new PreStart());
  }

  *#receive(delivery: Delivery<M>): Steps {
    const state = this.#state;
    for (let next: Delivery<M> | undefined = delivery; next && this.#alive; next = state.unstashed.shift()) {
      state.current = next;
      const result = yield* settled(internalsOf(this.#behavior).onMessage(this.#context, next.message));
      yield* this.#become(result, 'The return value of a handler', next.message);
    }
    if (state.stopRequested) yield* this.#stop();
  }

  *#receiveSignal(signal: Signal): Steps {
    const { signalHandler } = internalsOf(this.#behavior);
    const result = signalHandler ? yield* settled(signalHandler(this.#context, signal)) : Behavior.unhandled<M>();
    if (result instanceof Behavior && internalsOf(result).kind === 'unhandled') {
      if (signal instanceof Terminated) throw new DeathPactError(this.#context.path, signal.ref.path);
    } else yield* this.#become(result, 'The return value of a signal handler', undefined);
    const next = this.#state.unstashed.shift();
    if (next) yield* this.#receive(next);
    else if (this.#state.stopRequested) yield* this.#stop();
  }

  /** Applies the return value of a handler, running setups until one returns a behavior that handles messages. */
  *#become(result: unknown, where: string, message: M | undefined): Steps {
    let next = result;
    let source = where;
    for (;;) {
      if (next === undefined && source === where) return;
      if (!(next instanceof Behavior)) throw new InvalidBehaviorError(source, 'a behavior', next);
      const { kind, initialize } = internalsOf(next as Behavior<M>);
      if (source !== where && (kind === 'same' || kind === 'unhandled')) {
        throw new InvalidBehaviorError(source, 'a behavior', next);
      }
      if (kind === 'stopped') return yield* this.#stop();
      if (kind === 'unhandled') this.#state.effects.push(new Unhandled(message));
      if (kind === 'receive') this.#behavior = next as Behavior<M>;
      if (kind !== 'setup') return;
      next = yield* settled(initialize!(this.#context));
      source = 'The return value of a setup';
    }
  }

  *#stop(): Steps {
    if (!this.#alive) return;
    const { signalHandler } = internalsOf(this.#behavior);
    this.#state.current = undefined;
    this.#alive = false;
    this.#state.abort.abort();
    if (signalHandler) yield* settled(signalHandler(this.#context, new PostStop()));
  }

  #question<R>(create: (replyTo: ActorRef<R>) => M): { inbox: TestInbox<R>; message: M } {
    const inbox = new TestInbox<R>(`${this.#context.path}?ask`);
    return { inbox, message: create(inbox.ref) };
  }

  #drive(steps: Steps, what: string, instead: string): void {
    this.#begin(what);
    try {
      const { done, value } = steps.next();
      if (done) return;
      steps.return();
      // The test gets an AsyncHandlerError instead, so this rejection must not stay unhandled.
      Promise.resolve(value).then(undefined, () => undefined);
      throw new AsyncHandlerError(what, instead);
    } finally {
      this.#end();
    }
  }

  async #driveAsync(steps: Steps, what: string): Promise<void> {
    this.#begin(what);
    try {
      let next = steps.next();
      while (!next.done) next = steps.next(await next.value);
    } finally {
      this.#end();
    }
  }

  #begin(what: string): void {
    if (this.#busy) throw new BehaviorBusyError(what);
    this.#busy = true;
  }

  #end(): void {
    this.#busy = false;
    this.#state.current = undefined;
  }

  #assertAlive(what: string): void {
    if (!this.#alive) throw new BehaviorStoppedError(what);
  }

  #noEffect(expected: string): ProbeAssertionError {
    const { effects } = this.#state;
    const but = effects.length > 0 ? `the effects are: ${showList(effects)}` : 'there are no effects';
    return new ProbeAssertionError(`${this.#context.path} expected ${expected}, but ${but}`);
  }
}

function* settled(result: unknown): Steps<unknown> {
  return isThenable(result) ? yield result : result;
}

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';

function replyIn<R>(inbox: TestInbox<R>, message: unknown): R {
  if (inbox.hasMessages) return inbox.receiveMessage();
  throw new ProbeAssertionError(`${inbox.ref.path} expected a reply to ${show(message)}, but none arrived`);
}
