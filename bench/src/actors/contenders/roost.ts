import { type ActorRef, ActorSystem, Behavior } from '@roost/actors/core';
import { type Asker, type Contender, Message, type Population } from '../contender.js';
import { silent } from '../silent.js';

class Question {
  constructor(
    readonly value: number,
    readonly replyTo: ActorRef<number>,
  ) {}
}

class RoostAsker implements Asker {
  constructor(private readonly ref: ActorRef<Question>) {}

  ask(value: number): Promise<number> {
    return this.ref.ask<number>((replyTo) => new Question(value, replyTo));
  }
}

class RoostPopulation implements Population {
  #refs: ActorRef<Message>[] = [];
  #untouched = 0;
  #touched = (): void => undefined;
  readonly #behavior = Behavior.receive<Message>(() => {
    if (--this.#untouched === 0) this.#touched();
  });

  spawn(count: number): void {
    this.#refs = new Array<ActorRef<Message>>(count);
    for (let n = 0; n < count; n++) this.#refs[n] = system.spawn(this.#behavior);
  }

  touch(): Promise<void> {
    const message = new Message();
    this.#untouched = this.#refs.length;
    return new Promise((resolve) => {
      this.#touched = resolve;
      for (const ref of this.#refs) ref.tell(message);
    });
  }

  async stop(): Promise<void> {
    const last = this.#refs.at(-1)!.whenTerminated();
    for (const ref of this.#refs) ref.stop();
    await last;
    this.#refs = [];
  }
}

const system = new ActorSystem({ logger: silent });

export const contender: Contender = {
  spawn: (count, handle) => {
    const behavior = Behavior.receive<Message>((_ctx, message) => handle(message));
    return Array.from({ length: count }, () => system.spawn(behavior));
  },
  spawnAsync: (handle) => system.spawn(Behavior.receive<Message>((_ctx, message) => handle(message))),
  spawnAsker: (answer) =>
    new RoostAsker(system.spawn(Behavior.receive<Question>((_ctx, { value, replyTo }) => replyTo.tell(answer(value))))),
  population: () => new RoostPopulation(),
};
