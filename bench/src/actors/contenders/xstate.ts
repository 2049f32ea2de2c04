import { type Actor, createActor, fromTransition, type TransitionActorLogic } from 'xstate';
import type { Asker, Contender, Message, Population, Receiver } from '../contender.js';

interface Question {
  readonly type: 'question';
  readonly value: number;
  readonly resolve: (answer: number) => void;
}

type Logic<E extends { type: string }> = TransitionActorLogic<null, E, undefined>;

const logicOf = <E extends { type: string }>(handle: (event: E) => void): Logic<E> =>
  fromTransition<null, E, never, undefined>((state, event) => {
    handle(event);
    return state;
  }, null);

class XStateReceiver implements Receiver {
  constructor(private readonly actor: Actor<Logic<Message>>) {}

  tell(message: Message): void {
    this.actor.send(message);
  }
}

/** There is no built-in reply, so the question carries a function. */
class XStateAsker implements Asker {
  constructor(private readonly actor: Actor<Logic<Question>>) {}

  ask(value: number): Promise<number> {
    return new Promise((resolve) => this.actor.send({ type: 'question', value, resolve }));
  }
}

class XStatePopulation implements Population {
  #actors: Actor<Logic<Message>>[] = [];

  spawn(count: number): void {
    const logic = logicOf<Message>(() => undefined);
    this.#actors = new Array<Actor<Logic<Message>>>(count);
    for (let n = 0; n < count; n++) this.#actors[n] = createActor(logic).start();
  }

  stop(): Promise<void> {
    for (const actor of this.#actors) actor.stop();
    this.#actors = [];
    return Promise.resolve();
  }
}

export const contender: Contender = {
  share: 0.2,
  spawn: (count, handle) => {
    const logic = logicOf(handle);
    return Array.from({ length: count }, () => new XStateReceiver(createActor(logic).start()));
  },
  spawnAsker: (answer) =>
    new XStateAsker(createActor(logicOf<Question>(({ value, resolve }) => resolve(answer(value)))).start()),
  population: () => new XStatePopulation(),
};
