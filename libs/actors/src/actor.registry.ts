import { Injectable, Logger } from '@nestjs/common';
import { type Deferred, deferred } from '@roost/kernel';
import { type ActorDefinition, readActorDefinition } from './actor-definition.js';
import { ActorExplorer } from './actor.explorer.js';
import { ActorHome } from './actor-home.js';
import { BootGate } from './boot-gate.js';
import { classBehavior, Dispatch } from './class-behavior.js';
import {
  type ActorClass,
  ActorInitializationException,
  type ActorRef,
  ActorSystem,
  type ActorSystemOptions,
  Behavior,
  Props,
  UnknownActorClassError,
} from './core/index.js';
import { ActorSystemUnavailableError } from './errors/actor-system-unavailable.error.js';
import { UnknownActorSystemError } from './errors/unknown-actor-system.error.js';

/** An actor class registered in a system. */
interface Listed {
  readonly definition: ActorDefinition;
  readonly home: ActorHome;
  readonly props: Props<unknown>;
}

/** The single top-level actor of a class. */
export interface TopActor {
  readonly ref: ActorRef;
  /** Rejects when the first instance could not be created. */
  readonly started: Promise<void>;
  ended: boolean;
}

interface Entry {
  readonly made: Deferred<ActorSystem>;
  system: ActorSystem | undefined;
  readonly listed: Map<ActorClass, Listed>;
  readonly tops: Map<ActorClass, TopActor>;
}

/** Holds the application's actor systems, the classes they can spawn, and their top-level actors. */
@Injectable()
export class ActorRegistry {
  readonly gate = new BootGate();
  readonly #entries = new Map<string, Entry>();

  constructor(private readonly explorer: ActorExplorer) {
    for (const { name } of explorer.systems) this.#entries.set(name, createEntry());
    this.#readFeatures();
  }

  get defaultName(): string {
    return this.explorer.defaultName;
  }

  /** Systems created so far. */
  get systems(): ActorSystem[] {
    return [...this.#entries.values()].flatMap(({ system }) => system ?? []);
  }

  /** @throws UnknownActorSystemError */
  systemNamed(name: string = this.defaultName): ActorSystem {
    const system = this.#entries.get(name)?.system;
    if (!system) throw new UnknownActorSystemError(name, [...this.#entries.keys()], 'This call');
    return system;
  }

  topActors(system: string): TopActor[] {
    return [...(this.#entries.get(system)?.tops.values() ?? [])];
  }

  /** Creates the system of a `forRoot`. */
  createSystem({ propsOfClass, ...options }: ActorSystemOptions & { readonly name: string }): ActorSystem {
    const { name } = options;
    const entry = this.#entries.get(name)!;
    const system = new ActorSystem({
      ...options,
      logger: options.logger ?? new Logger(),
      propsOfClass: (type) => this.#propsOf(entry, type, name, propsOfClass),
    });
    entry.system = system;
    entry.made.resolve(system);
    return system;
  }

  defaultSystem(): Promise<ActorSystem> {
    return this.#entries.get(this.defaultName)!.made.promise;
  }

  /**
   * Returns the top-level actor of a class. The first call spawns it.
   *
   * @param injected the system, if Nest could inject it
   */
  async refOf(type: ActorClass, name: string = this.defaultName, injected?: ActorSystem): Promise<ActorRef> {
    const entry = this.#entries.get(name)!;
    if (!injected && !entry.system) {
      // Any module can inject a global system. If Nest could not, the system's own options depend on this actor.
      const { isGlobal } = this.explorer.systems.find((system) => system.name === name)!;
      if (isGlobal) throw new ActorSystemUnavailableError(type.name, name);
    }
    return this.#top(entry, injected ?? (await entry.made.promise), type).ref;
  }

  /** Checks the dependencies of all actor classes. @throws ActorDependencyError, RequestScopedActorError */
  async verify(): Promise<void> {
    for (const { listed } of this.#entries.values()) for (const { home } of listed.values()) await home.verify();
  }

  /** Spawns the actors declared with `spawn: 'bootstrap'`. */
  spawnBootstrapActors(): void {
    for (const entry of this.#entries.values()) {
      for (const { definition } of entry.listed.values()) {
        if (definition.spawn === 'bootstrap' && entry.system) this.#top(entry, entry.system, definition.type);
      }
    }
  }

  /** Lets actors start, and waits for the top-level ones. @throws ActorInitializationException */
  async start(): Promise<void> {
    this.gate.open();
    const tops = [...this.#entries.values()].flatMap((entry) => [...entry.tops.values()]);
    await Promise.all(tops.map(({ ref, started }) => Promise.race([started, ref.whenTerminated()])));
  }

  #top(entry: Entry, system: ActorSystem, type: ActorClass): TopActor {
    const known = entry.tops.get(type);
    if (known) return known;
    const { definition, home } = entry.listed.get(type) ?? this.#lateListed(entry, type);
    const started = deferred();
    // Avoids an unhandled rejection when the boot no longer waits for this actor.
    started.promise.catch(() => undefined);
    const props = this.#createProps(definition, async () => {
      try {
        const instance = await home.create();
        started.resolve();
        return instance;
      } catch (error) {
        started.reject(new ActorInitializationException(ref.path, error));
        throw error;
      }
    });
    const ref = system.spawn<unknown>(props, definition.name);
    const top: TopActor = { ref, started: started.promise, ended: false };
    void ref.whenTerminated().then(() => (top.ended = true));
    entry.tops.set(type, top);
    return top;
  }

  #propsOf(
    entry: Entry,
    type: ActorClass,
    system: string,
    otherwise: ((type: ActorClass) => Props) | undefined,
  ): Props {
    const listed = entry.listed.get(type);
    if (listed) return listed.props;
    if (otherwise) return otherwise(type);
    this.#readFeatures();
    const late = entry.listed.get(type);
    if (late) return late.props;
    const second = system === this.defaultName ? '' : `, '${system}'`;
    throw new UnknownActorClassError(type, `List it in ActorSystemModule.forFeature([${type.name}]${second}).`);
  }

  #lateListed(entry: Entry, type: ActorClass): Listed {
    this.#readFeatures();
    const listed = entry.listed.get(type);
    if (!listed) throw new UnknownActorClassError(type);
    return listed;
  }

  #readFeatures(): void {
    const homes = new Map<Entry, Map<ActorClass, ActorHome['modules'][number][]>>();
    for (const { actors, system = this.defaultName, homes: modules } of this.explorer.features()) {
      const entry = this.#entries.get(system);
      if (!entry) continue;
      const ofEntry = homes.get(entry) ?? new Map<ActorClass, ActorHome['modules'][number][]>();
      homes.set(entry, ofEntry);
      for (const type of actors) ofEntry.set(type, [...(ofEntry.get(type) ?? []), ...modules]);
    }
    for (const [entry, ofEntry] of homes) {
      for (const [type, modules] of ofEntry) {
        if (entry.listed.has(type)) continue;
        const definition = readActorDefinition(type, 'forFeature()');
        const home = new ActorHome(type, modules, (token) => this.explorer.isConstant(token));
        entry.listed.set(type, { definition, home, props: this.#createProps(definition, () => home.create()) });
      }
    }
  }

  #createProps(
    { messages, signals, options }: ActorDefinition,
    create: () => object | Promise<object>,
  ): Props<unknown> {
    const [ofMessages, ofSignals] = [new Dispatch(messages), new Dispatch(signals)];
    const behaviorOf = (instance: object) => classBehavior(instance, ofMessages, ofSignals);
    const begin = () => {
      const instance = create();
      return instance instanceof Promise ? instance.then(behaviorOf) : behaviorOf(instance);
    };
    const setup = Behavior.setup<unknown>(() =>
      this.gate.isOpen ? begin() : this.gate.opened.then((open) => (open ? begin() : Behavior.stopped())),
    );
    return Props.replying(setup, options);
  }
}

const createEntry = (): Entry => ({ made: deferred(), system: undefined, listed: new Map(), tops: new Map() });
