import { DataflowNode, Input, InputPort, OnTimer, Output, OutputPort, Reaction, span } from '@roost/dataflow/core';
import { at, check, type Program } from './program.js';

@DataflowNode()
class Clock {
  @Output() y!: OutputPort<number>;
  #count = 0;

  @OnTimer({ period: span.ms(1) })
  tick(): void {
    this.y.set(++this.#count);
  }
}

@DataflowNode()
class Destination {
  @Input() x!: InputPort<number>;
  @Input() w!: InputPort<number>;
  #sum = 0;

  @Reaction('x', 'w')
  add(): void {
    this.#sum += 2;
    check('the sum of both clocks', (this.x.value ?? 0) + (this.w.value ?? 0), this.#sum);
  }
}

/** A reaction to two inputs runs once for both. */
export const doubleReaction: Program = {
  name: 'DoubleReaction',
  graph: (g) => {
    const [c1, c2] = [g.node(Clock, { name: 'c1' }), g.node(Clock, { name: 'c2' })];
    const destination = g.node(Destination);
    g.connect(c1.y, destination.x);
    g.connect(c2.y, destination.w);
  },
  options: { fast: true, timeout: span.ms(99) },
  processes: { one: ['c1'], two: ['c2'], three: ['destination'] },
  isDeterministic: true,
  expected: { status: 'stopped', stopTag: at(span.ms(99)), firings: { c1: 100, c2: 100, destination: 100 } },
};
