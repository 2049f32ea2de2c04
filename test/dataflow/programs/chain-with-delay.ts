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

  @OnTimer({ period: span.ms(1) })
  tick(): void {
    this.out.set(++this.#count);
  }
}

@DataflowNode()
class Pass {
  @Input() in!: InputPort<number>;
  @Output() out!: OutputPort<number>;

  @Reaction('in')
  pass(): void {
    this.out.set(this.in.value!);
  }
}

@DataflowNode({ name: 'test' })
class CountTest {
  @Input() in!: InputPort<number>;
  #count = 0;

  @Reaction('in')
  take({ now }: NodeContext): void {
    check('the count and its tag', [this.in.value, now], [++this.#count, at(span.ms(2 + this.#count), 1)]);
  }

  @OnShutdown()
  end(): void {
    check('the number of messages', this.#count, 7);
  }
}

/** A delay in time followed by a delay of a microstep. */
export const chainWithDelay: Program = {
  name: 'ChainWithDelay',
  graph: (g) => {
    const [count, pass, test] = [g.node(Count), g.node(Pass), g.node(CountTest)];
    g.connect(count.out, pass.in, { after: span.ms(3) });
    g.connect(pass.out, test.in, { after: span.ns(0) });
  },
  options: { fast: true, timeout: span.ms(10) },
  processes: { left: ['count', 'test'], right: ['pass'] },
  isDeterministic: true,
  expected: { status: 'stopped', stopTag: at(span.ms(10)), firings: { count: 11, pass: 8, test: 8 } },
};
