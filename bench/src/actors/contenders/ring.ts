import type { Asker, Contender, Population } from '../contender.js';
import { RingActor } from '../ring.js';

class Question {
  constructor(
    readonly value: number,
    readonly resolve: (answer: number) => void,
  ) {}
}

class RingAsker implements Asker {
  readonly #actor: RingActor<Question>;

  constructor(answer: (value: number) => number) {
    this.#actor = new RingActor(({ value, resolve }) => resolve(answer(value)));
  }

  ask(value: number): Promise<number> {
    return new Promise((resolve) => this.#actor.tell(new Question(value, resolve)));
  }
}

const nothing = (): void => undefined;

class RingPopulation implements Population {
  #actors: RingActor<unknown>[] = [];

  spawn(count: number): void {
    this.#actors = new Array<RingActor<unknown>>(count);
    for (let n = 0; n < count; n++) this.#actors[n] = new RingActor(nothing);
  }

  stop(): Promise<void> {
    this.#actors = [];
    return Promise.resolve();
  }
}

export const contender: Contender = {
  spawn: (count, handle) => Array.from({ length: count }, () => new RingActor(handle)),
  spawnAsync: (handle) => new RingActor(handle),
  spawnAsker: (answer) => new RingAsker(answer),
  population: () => new RingPopulation(),
};
