import 'reflect-metadata';
import { Inject, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Actor, type ActorRef, ActorSystem, ActorSystemModule, Behavior, Receive } from '@roost/actors';
import { type Contender, Message, type Population } from '../contender.js';
import { silent } from '../silent.js';

type Handle = (message: Message) => void | Promise<void>;

/** The action of the actors on a message. It changes in every round. */
class Work {
  handle: Handle = () => undefined;
}

const CREATED = Symbol('created');

@Actor()
class MessageActor {
  constructor(
    private readonly work: Work,
    @Inject(CREATED) created: () => void,
  ) {
    created();
  }

  @Receive(Message)
  receive(message: Message): void | Promise<void> {
    return this.work.handle(message);
  }
}

/** Creates such actors under Nest, by dependency injection. */
class Nursery {
  #uncreated = 0;
  #allCreated = (): void => undefined;

  private constructor(
    readonly system: ActorSystem,
    readonly work: Work,
  ) {}

  static async open(): Promise<Nursery> {
    let nursery: Nursery | undefined;
    const providers = [Work, { provide: CREATED, useValue: () => nursery?.created() }];
    class Dependencies {}
    Module({ providers, exports: providers })(Dependencies);
    class Application {}
    const actors = [ActorSystemModule.forRoot({ logger: silent }), ActorSystemModule.forFeature([MessageActor])];
    Module({ imports: [Dependencies, ...actors] })(Application);
    const app = await NestFactory.createApplicationContext(Application, { logger: false });
    return (nursery = new Nursery(app.get(ActorSystem), app.get(Work)));
  }

  /** Nest creates instances asynchronously. Resolves when all exist. */
  spawn(count: number, handle: Handle): Promise<ActorRef<Message>[]> {
    this.work.handle = handle;
    const refs = new Array<ActorRef<Message>>(count);
    this.#uncreated = count;
    return new Promise((resolve) => {
      this.#allCreated = () => resolve(refs);
      for (let n = 0; n < count; n++) refs[n] = this.system.spawn<Message>(MessageActor);
    });
  }

  private created(): void {
    if (--this.#uncreated === 0) this.#allCreated();
  }
}

class DecoratedPopulation implements Population {
  #refs: ActorRef<Message>[] = [];

  constructor(private readonly nursery: Nursery) {}

  async spawn(count: number): Promise<void> {
    this.#refs = await this.nursery.spawn(count, () => undefined);
  }

  async stop(): Promise<void> {
    const last = this.#refs.at(-1)!.whenTerminated();
    for (const ref of this.#refs) ref.stop();
    await last;
    this.#refs = [];
  }
}

/** One application for all rounds, because those of earlier rounds would slow down the garbage collector. */
let nursery: Promise<Nursery> | undefined;

const spawn = async (count: number, handle: Handle): Promise<ActorRef<Message>[]> =>
  (await (nursery ??= Nursery.open())).spawn(count, handle);

const spawnFunctional = async (count: number, handle: Handle): Promise<ActorRef<Message>[]> => {
  const { system, work } = await (nursery ??= Nursery.open());
  work.handle = handle;
  // One closure per actor, because each decorated actor has an instance.
  const behavior = Behavior.setup<Message>(() => Behavior.receive<Message>((_ctx, message) => work.handle(message)));
  return Array.from({ length: count }, () => system.spawn(behavior));
};

/** The same application without decorators, so that the comparison covers the message and not the heap size. */
export const functional: Contender = {
  spawn: spawnFunctional,
  spawnAsync: async (handle) => (await spawnFunctional(1, handle))[0]!,
};

export const contender: Contender = {
  spawn,
  spawnAsync: async (handle) => (await spawn(1, handle))[0]!,
  population: async () => new DecoratedPopulation(await Nursery.open()),
};
