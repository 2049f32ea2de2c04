import { dispatch, query, type Ref, spawn, start, stop } from 'nact';
import type { Asker, Contender, Message, Population, Receiver } from '../contender.js';

interface Question {
  readonly value: number;
  readonly replyTo: Ref<number>;
}

const ASK_TIMEOUT_MS = 5_000;
const system = start();
let spawned = 0;
/** Generated names collide among 100,000 actors. */
const nextName = (): string => `actor-${++spawned}`;

class NactReceiver implements Receiver {
  constructor(private readonly ref: Ref<Message>) {}

  tell(message: Message): void {
    dispatch(this.ref, message);
  }
}

class NactAsker implements Asker {
  constructor(private readonly ref: Ref<Question>) {}

  ask(value: number): Promise<number> {
    return query(this.ref, (replyTo: Ref<number>) => ({ value, replyTo }), ASK_TIMEOUT_MS);
  }
}

class NactPopulation implements Population {
  #refs: Ref<Message>[] = [];

  spawn(count: number): void {
    this.#refs = new Array<Ref<Message>>(count);
    for (let n = 0; n < count; n++) this.#refs[n] = spawn(system, (): void => undefined, nextName());
  }

  async stop(): Promise<void> {
    for (const ref of this.#refs) stop(ref);
    this.#refs = [];
    // It stops each actor in a separate immediate.
    await new Promise((resolve) => setImmediate(resolve));
  }
}

export const contender: Contender = {
  // Applies mainly to asks: their reply addresses are random numbers, which collide among 100,000.
  share: 0.1,
  spawn: (count, handle) =>
    Array.from(
      { length: count },
      () => new NactReceiver(spawn(system, (_state: void, message: Message) => handle(message), nextName())),
    ),
  spawnAsync: (handle) =>
    new NactReceiver(spawn(system, (_state: void, message: Message) => handle(message), nextName())),
  spawnAsker: (answer) =>
    new NactAsker(
      spawn(system, (_state: void, { value, replyTo }: Question): void => dispatch(replyTo, answer(value)), nextName()),
    ),
  population: () => new NactPopulation(),
};
