import { filter, type Observable } from 'rxjs';
import { activityOf, type SystemActivity } from './observe/activity.js';
import { ActorCell } from './cell/actor-cell.js';
import type { ActorClass } from './actor-class.js';
import type { ActorRef } from './actor-ref.js';
import { Behavior } from './behavior.js';
import { type Census, censusOf } from './observe/census.js';
import { DeadLetter, DeadLetters } from './observe/dead-letters.js';
import { type ActorDescription, describeTree } from './observe/description.js';
import { Dispatcher } from './dispatch/dispatcher.js';
import { ActorSystemStoppingError } from './errors/actor-system-stopping.error.js';
import { EventStream } from './observe/event-stream.js';
import { forceStop } from './cell/force-stop.js';
import { startActor } from './cell/start.js';
import { beginStop } from './cell/stop.js';
import { type ActorSystemOptions, resolveActorSystemOptions } from './options.js';
import { Props } from './props.js';
import { spawnChild } from './cell/spawn.js';
import { AlarmClock } from './timing/alarm-clock.js';
import { Scheduler } from './timing/scheduler.js';
import { check } from './option-checks.js';

/** The result of a system's shutdown, as plain data. @publicApi */
export interface ActorSystemReport {
  /** `forced` when actors were still running at the deadline. */
  status: 'completed' | 'forced';
  durationMs: number;
  /** Paths of force-stopped actors, children before parents. The messages in their mailboxes became dead letters. */
  forced: string[];
  /**
   * Actors in `forced` whose handler had not settled. `handling` is the class of the message, or the lifecycle step:
   * `setup`, `PreRestart` or `PostStop`.
   */
  stuck: { path: string; handling: string }[];
  /** Number of dead letters since the system started. */
  deadLetters: number;
}

/**
 * A tree of actors with a clock and an event stream. Systems are independent of each other.
 *
 * @example
 * ```ts
 * import { ActorSystem, Behavior } from '@roost/actors';
 *
 * const system = new ActorSystem({ name: 'shop', shutdownTimeoutMs: 5_000 });
 * const printer = system.spawn(
 *   Behavior.receive((ctx, text: string) => ctx.log.log(text)),
 *   'printer',
 * );
 *
 * printer.tell('hello');
 * const report = await system.shutdown(); // handles the message first
 * console.log(report.status); // completed
 * ```
 *
 * @publicApi
 */
export class ActorSystem {
  readonly name: string;
  readonly options: Readonly<Required<ActorSystemOptions>>;
  /** Event stream: publish and subscribe by class. */
  readonly events: EventStream;
  /** All events published on `events`. Completes when the system has stopped. */
  readonly events$: Observable<object>;
  /** Dead letters as they occur. Completes when the system has stopped. */
  readonly deadLetters$: Observable<DeadLetter>;
  readonly scheduler: Scheduler;
  /** @internal */
  readonly dispatcher = new Dispatcher();
  /** @internal */
  readonly alarms: AlarmClock;
  /** @internal */
  readonly deadLetters: DeadLetters;
  /** Number of actor failures. */
  failures = 0;
  /** Number of actor restarts. */
  restarts = 0;
  /** @internal Number of `ctx.pipeToSelf` promises that have not settled. */
  openPipes = 0;
  /** @internal Called by `terminate()` instead of `shutdown()`. */
  terminator: (() => Promise<unknown>) | undefined;
  readonly #root: ActorCell;
  #keys = 0;
  #shutdown: Promise<ActorSystemReport> | undefined;
  #state: ActorSystem['state'] = 'running';

  /** @throws InvalidActorOptionError */
  constructor(options: ActorSystemOptions = {}) {
    this.options = resolveActorSystemOptions(options);
    const { name, clock, logger, deadLetterBuffer, logDeadLetters } = this.options;
    this.name = name;
    this.alarms = new AlarmClock(clock);
    this.scheduler = new Scheduler(this.alarms, logger, name);
    this.events = new EventStream((event, path) => this.deadLetters.add(event, undefined, path, 'mailbox-full'));
    this.events$ = this.events.events$;
    this.deadLetters$ = this.events$.pipe(filter((event) => event instanceof DeadLetter));
    this.deadLetters = new DeadLetters(deadLetterBuffer, logDeadLetters, this.events, logger);
    this.#root = new ActorCell(this, null, Props.of(Behavior.receive(() => Behavior.unhandled())), 'user');
    startActor(this.#root);
  }

  /** `stopping` once `shutdown()` has been called, `stopped` when the last actor has stopped. */
  get state(): 'running' | 'stopping' | 'stopped' {
    return this.#state;
  }

  /**
   * Spawns a top-level actor. It starts asynchronously, after this call returns, but messages can be sent to it at
   * once.
   *
   * @param name unique among the top-level actors. @default generated
   * @throws InvalidActorNameError, DuplicateActorNameError, UnknownActorClassError
   * @throws ActorSystemStoppingError once `shutdown()` has been called
   */
  spawn<M = unknown>(what: Behavior<M> | Props<M> | ActorClass, name?: string): ActorRef<M> {
    if (this.#state !== 'running') throw new ActorSystemStoppingError(`System "${this.name}"`, name);
    return spawnChild(this.#root, what, name);
  }

  /** Returns the actor at a path such as `/user/shop/cart-42`, or undefined if there is none or it has stopped. */
  lookup(path: string): ActorRef | undefined {
    const [empty, root, ...names] = path.split('/');
    if (empty !== '' || root !== this.#root.name) return undefined;
    let cell: ActorCell | undefined = this.#root;
    for (const name of names) cell = cell?.childNamed(name);
    return cell === this.#root ? undefined : cell;
  }

  /** Describes all actors as plain data. The root of the tree is the system itself. */
  describe(): ActorDescription {
    return describeTree(this.#root);
  }

  /** The most recent dead letters, oldest first, up to the option `deadLetterBuffer`. */
  recentDeadLetters(): DeadLetter[] {
    return this.deadLetters.recent();
  }

  get deadLetterCount(): number {
    return this.deadLetters.count;
  }

  /**
   * Stops the system. Every top-level actor gets a `PoisonPill`: it handles the messages in its mailbox, then its
   * children handle theirs and stop, then it stops. Actors still running after `timeoutMs` are force-stopped: their
   * mailboxes become dead letters, `PostStop` is still delivered, and the report names handlers that have not settled.
   * Never rejects. Further calls return the same promise.
   */
  shutdown(timeoutMs: number = this.options.shutdownTimeoutMs): Promise<ActorSystemReport> {
    check.timeout(timeoutMs, 'shutdown(timeoutMs)');
    return (this.#shutdown ??= this.#end(timeoutMs));
  }

  /**
   * Runs the application's coordinated shutdown, which includes this system, if `ActorSystemModule` has connected the
   * two. Otherwise the same as `shutdown()`. An actor that awaits the result waits for itself to stop, so it is
   * force-stopped at the deadline.
   */
  terminate(): Promise<unknown> {
    // Returns the promise unwrapped: a shutdown task may call this, and fails only if it awaits the result.
    return this.terminator ? this.terminator() : this.shutdown();
  }

  /** @internal For health probes and progress lines. */
  census(): Census {
    return censusOf(this.#root);
  }

  /** @internal For `@roost/testkit`. */
  activity(): SystemActivity {
    return activityOf(this.#root);
  }

  /** @internal */
  nextKey(): number {
    return ++this.#keys;
  }

  async #end(timeoutMs: number): Promise<ActorSystemReport> {
    this.#state = 'stopping';
    const { clock } = this.options;
    const root = this.#root;
    const started = clock.monotonic();
    const ended = root.whenTerminated();
    root.addWork(() => beginStop(root, 'drain'));
    let left: ReturnType<typeof forceStop> = { forced: [], stuck: [] };
    const deadline = clock.setTimer(timeoutMs, () => (left = forceStop(root)));
    await ended;
    deadline.cancel();
    this.#state = 'stopped';
    this.alarms.close();
    this.events.close();
    return {
      status: left.forced.length > 0 ? 'forced' : 'completed',
      durationMs: clock.monotonic() - started,
      ...left,
      deadLetters: this.deadLetters.count,
    };
  }
}
