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
  @Output() out!: OutputPort<string>;
  #count = 0;

  @OnTimer({ period: span.ms(1) })
  async tick({ node }: NodeContext): Promise<void> {
    const count = this.#count++;
    // The first source is the last to answer.
    for (let turn = Number(node.at(-1)); turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
    this.out.set(`${node} ${count}`);
  }
}

@DataflowNode()
class Sink {
  @Input() in!: InputPort<string>;
  #count = 0;

  @Reaction('in')
  take(): void {
    const { values } = this.in;
    check('the values', values, [`source1 ${this.#count}`, `source2 ${this.#count}`, `source3 ${this.#count}`]);
    check('the first value', this.in.value, values[0]);
    this.#count++;
  }

  @OnShutdown()
  end(): void {
    check('the number of messages', this.#count, 20);
  }
}

/** Values that several nodes send at one tag are merged in the declared order, not in the order of arrival. */
export const parallelSources: Program = {
  name: 'ParallelSources',
  graph: (g) => {
    const sources = ['source1', 'source2', 'source3'].map((name) => g.node(Source, { name }).out);
    g.merge(sources, g.node(Sink).in);
  },
  options: { fast: true, timeout: span.ms(19) },
  processes: { one: ['source1', 'sink'], two: ['source2'], three: ['source3'] },
  isDeterministic: true,
  expected: {
    status: 'stopped',
    stopTag: at(span.ms(19)),
    firings: { source1: 20, source2: 20, source3: 20, sink: 21 },
  },
};
