import {
  DataflowNode,
  Input,
  InputPort,
  type NodeContext,
  OnShutdown,
  OnTimer,
  Output,
  OutputPort,
  Reaction,
  span,
} from '@roost/dataflow/core';
import { at, check, type Program } from './program.js';

@DataflowNode()
class Count {
  @Output() out!: OutputPort<number>;
  #count = 0;

  @OnTimer({ offset: span.ms(200), period: span.seconds(1) })
  tick(): void {
    this.out.set(++this.#count);
  }
}

@DataflowNode()
class Print {
  @Input() in!: InputPort<number>;
  #count = 0;

  @Reaction('in')
  take({ now }: NodeContext): void {
    check('the count and its tag', [this.in.value, now], [++this.#count, at(span.ms(1000 * this.#count - 600))]);
  }

  @OnShutdown()
  end(): void {
    check('the number of messages', this.#count, 10);
  }
}

/** A timer with an offset, over a connection with a delay. */
export const distributedCount: Program = {
  name: 'DistributedCount',
  graph: (g) => {
    const [count, print] = [g.node(Count), g.node(Print)];
    g.connect(count.out, print.in, { after: span.ms(200) });
  },
  options: { fast: true, timeout: span.seconds(10) },
  processes: { left: ['count'], right: ['print'] },
  isDeterministic: true,
  expected: { status: 'stopped', stopTag: at(span.seconds(10)), firings: { count: 10, print: 11 } },
};
