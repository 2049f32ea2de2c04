import 'reflect-metadata';
import { Inject, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Actor, type ActorRef, ActorSystem, ActorSystemModule, Receive } from '@roost/actors';
import { type Contender, Message, type Population } from '../contender.js';
import { silent } from '../silent.js';

type Handle = (message: Message) => void | Promise<void>;

const HANDLE = Symbol('handle');
const CREATED = Symbol('created');

@Actor()
class MessageActor {
  constructor(
    @Inject(HANDLE) private readonly handle: Handle,
    @Inject(CREATED) created: () => void,
  ) {
    created();
  }

  @Receive(Message)
  receive(message: Message): void | Promise<void> {
    return this.handle(message);
  }
}

/** Makes such actors under Nest, by dependency injection. */
class Nursery {
  #uncreated = 0;
  #allCreated = (): void => undefined;

  private constructor(readonly system: ActorSystem) {}

  static async open(handle: Handle): Promise<Nursery> {
    let nursery: Nursery | undefined;
    const providers = [
      { provide: HANDLE, useValue: handle },
      { provide: CREATED, useValue: () => nursery?.created() },
    ];
    class Dependencies {}
    Module({ providers, exports: providers })(Dependencies);
    class Application {}
    const actors = [ActorSystemModule.forRoot({ logger: silent }), ActorSystemModule.forFeature([MessageActor])];
    Module({ imports: [Dependencies, ...actors] })(Application);
    const app = await NestFactory.createApplicationContext(Application, { logger: false });
    return (nursery = new Nursery(app.get(ActorSystem)));
  }

  /** Nest makes instances asynchronously; this resolves when all have been made. */
  spawn(count: number): Promise<ActorRef<Message>[]> {
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
    this.#refs = await this.nursery.spawn(count);
  }

  async stop(): Promise<void> {
    const last = this.#refs.at(-1)!.whenTerminated();
    for (const ref of this.#refs) ref.stop();
    await last;
    this.#refs = [];
  }
}

const spawn = async (count: number, handle: Handle): Promise<ActorRef<Message>[]> =>
  (await Nursery.open(handle)).spawn(count);

export const contender: Contender = {
  spawn,
  spawnAsync: async (handle) => (await spawn(1, handle))[0]!,
  population: async () => new DecoratedPopulation(await Nursery.open(() => undefined)),
};
