import {
  DataflowNode,
  Input,
  InputPort,
  OnShutdown,
  OnTimer,
  Output,
  OutputPort,
  Reaction,
} from '@roost/dataflow/core';
import { at, check, type Program } from './program.js';

@DataflowNode()
class Twice {
  @Output() out!: OutputPort<number>;
  #count = 0;

  @OnTimer()
  @OnTimer()
  tick(): void {
    this.out.set(++this.#count);
  }
}

@DataflowNode()
class Counter {
  @Input() in!: InputPort<number>;
  #sum = 0;

  @Reaction('in')
  add(): void {
    this.#sum += this.in.value!;
  }

  @OnShutdown()
  end(): void {
    check('the sum', this.#sum, 1);
  }
}

/** Two timers of one reaction that fire together make it run once. */
export const doubleTrigger: Program = {
  name: 'DoubleTrigger',
  graph: (g) => {
    const [twice, counter] = [g.node(Twice), g.node(Counter)];
    g.connect(twice.out, counter.in);
  },
  options: { fast: true },
  processes: { left: ['twice'], right: ['counter'] },
  isDeterministic: true,
  expected: { status: 'completed', stopTag: at(0, 1), firings: { twice: 1, counter: 2 } },
};
