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

/** How a system has ended: plain data. @publicApi */
export interface ActorSystemReport {
  /** `forced` when actors were left at the deadline. */
  status: 'completed' | 'forced';
  durationMs: number;
  /** Paths of actors that were ended by force, children before parents. What was in their mailboxes is dead letters. */
  forced: string[];
  /**
   * Actors of `forced` whose handler had not settled. `handling` is the class of the message, or the step of the lifecycle:
   * `setup`, `PreRestart`, `PostStop`.
   */
  stuck: { path: string; handling: string }[];
  /** Since the start of the system. */
  deadLetters: number;
}

/**
 * A tree of actors with a clock, an event stream and an end. Systems know nothing of each other.
 *
 * @publicApi
 */
export class ActorSystem {
  readonly name: string;
  readonly options: Readonly<Required<ActorSystemOptions>>;
  /** Publish and subscribe by class. */
  readonly events: EventStream;
  /** What is published on `events`. Completes when the system has ended. */
  readonly events$: Observable<object>;
  /** Messages that nobody has handled, as they occur. Completes when the system has ended. */
  readonly deadLetters$: Observable<DeadLetter>;
  readonly scheduler: Scheduler;
  /** @internal */
  readonly dispatcher = new Dispatcher();
  /** @internal */
  readonly alarms: AlarmClock;
  /** @internal */
  readonly deadLetters: DeadLetters;
  /** How often actors have failed. */
  failures = 0;
  /** How often actors were restarted. */
  restarts = 0;
  /** @internal Promises of `ctx.pipeToSelf` that have not settled. */
  openPipes = 0;
  /** @internal What `terminate()` does instead of `shutdown()`. */
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

  /** `stopping` from the call of `shutdown()`, `stopped` when the last actor has ended. */
  get state(): 'running' | 'stopping' | 'stopped' {
    return this.#state;
  }

  /**
   * Makes an actor at the top. It begins soon, not before this returns; messages may be sent to it at once.
   *
   * @param name unique at the top. @default a made-up one
   * @throws InvalidActorNameError, DuplicateActorNameError, UnknownActorClassError
   * @throws ActorSystemStoppingError once `shutdown()` has been called
   */
  spawn<M = unknown>(what: Behavior<M> | Props<M> | ActorClass, name?: string): ActorRef<M> {
    if (this.#state !== 'running') throw new ActorSystemStoppingError(`System "${this.name}"`, name);
    return spawnChild(this.#root, what, name);
  }

  /** The actor at a path such as `/user/shop/cart-42`; undefined when there is none, or it has ended. */
  lookup(path: string): ActorRef | undefined {
    const [empty, root, ...names] = path.split('/');
    if (empty !== '' || root !== this.#root.name) return undefined;
    let cell: ActorCell | undefined = this.#root;
    for (const name of names) cell = cell?.childNamed(name);
    return cell === this.#root ? undefined : cell;
  }

  /** All actors, as plain data. The top of the tree stands for the system itself. */
  describe(): ActorDescription {
    return describeTree(this.#root);
  }

  /** The last dead letters, oldest first; how many is an option. */
  recentDeadLetters(): DeadLetter[] {
    return this.deadLetters.recent();
  }

  get deadLetterCount(): number {
    return this.deadLetters.count;
  }

  /**
   * Ends the system: every actor at the top gets a `PoisonPill`, so it handles what is in its mailbox, then its children
   * do, then it ends. What is left after `timeoutMs` is ended by force: mailboxes become dead letters, PostStop is still
   * delivered, handlers that have not settled are named in the report. Never rejects. Further calls get the same promise.
   */
  shutdown(timeoutMs: number = this.options.shutdownTimeoutMs): Promise<ActorSystemReport> {
    check.timeout(timeoutMs, 'shutdown(timeoutMs)');
    return (this.#shutdown ??= this.#end(timeoutMs));
  }

  /**
   * Ends the system and all that belongs to it: under `ActorSystemModule` the coordinated shutdown of the application,
   * of which this system is a part; otherwise the same as `shutdown()`. An actor that awaits it waits for its own end: it is
   * ended by force at the deadline.
   */
  terminate(): Promise<unknown> {
    // The promise itself: a shutdown task may ask for the end, and is told off only if it awaits it.
    return this.terminator ? this.terminator() : this.shutdown();
  }

  /** @internal For probes and progress lines. */
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
