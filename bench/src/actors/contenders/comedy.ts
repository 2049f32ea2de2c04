import { type ActorRef, createSystem } from 'comedy';
import type { Asker, Contender, Message, Population, Receiver } from '../contender.js';

// The value `test` silences the library.
const system = createSystem({ test: true });
const root = await system.rootActor();

class ComedyReceiver implements Receiver {
  constructor(private readonly ref: ActorRef) {}

  tell(message: Message): void {
    void this.ref.send('handle', message);
  }
}

class ComedyAsker implements Asker {
  constructor(private readonly ref: ActorRef) {}

  ask(value: number): Promise<number> {
    return this.ref.sendAndReceive('answer', value) as Promise<number>;
  }
}

class ComedyPopulation implements Population {
  #refs: ActorRef[] = [];

  async spawn(count: number): Promise<void> {
    this.#refs = new Array<ActorRef>(count);
    for (let n = 0; n < count; n++) this.#refs[n] = await root.createChild({});
  }

  async stop(): Promise<void> {
    for (const ref of this.#refs) await ref.destroy();
    this.#refs = [];
  }
}

export const contender: Contender = {
  share: 0.05,
  spawn: async (count, handle) => {
    const receivers: Receiver[] = [];
    for (let n = 0; n < count; n++) receivers.push(new ComedyReceiver(await root.createChild({ handle })));
    return receivers;
  },
  spawnAsync: async (handle) => new ComedyReceiver(await root.createChild({ handle })),
  spawnAsker: async (answer) => new ComedyAsker(await root.createChild({ answer })),
  population: () => new ComedyPopulation(),
};
