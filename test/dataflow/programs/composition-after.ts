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
class Source {
  @Output() y!: OutputPort<number>;
  #count = 0;

  @OnTimer({ period: span.seconds(1) })
  tick(): void {
    this.y.set(++this.#count);
  }
}

@DataflowNode({ name: 'test' })
class CountTest {
  @Input() x!: InputPort<number>;
  #count = 0;

  @Reaction('x')
  take({ now }: NodeContext): void {
    check('the count and its tag', [this.x.value, now], [++this.#count, at(span.seconds(9 + this.#count))]);
  }

  @OnShutdown()
  end(): void {
    check('the number of messages', this.#count, 11);
  }
}

/** Many messages are in flight on one connection. */
export const compositionAfter: Program = {
  name: 'CompositionAfter',
  graph: (g) => {
    const [source, test] = [g.node(Source), g.node(CountTest)];
    g.connect(source.y, test.x, { after: span.seconds(10) });
  },
  options: { fast: true, timeout: span.seconds(20) },
  processes: { left: ['source'], right: ['test'] },
  isDeterministic: true,
  expected: { status: 'stopped', stopTag: at(span.seconds(20)), firings: { source: 21, test: 12 } },
};
