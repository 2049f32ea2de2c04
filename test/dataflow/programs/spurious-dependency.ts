import {
  DataflowNode,
  Input,
  InputPort,
  type NodeContext,
  OnShutdown,
  OnStart,
  Output,
  OutputPort,
  Reaction,
} from '@roost/dataflow/core';
import { at, check, type Program } from './program.js';

@DataflowNode()
class Source {
  @Output() out!: OutputPort<number>;

  @OnStart()
  start(): void {
    this.out.set(42);
  }
}

@DataflowNode()
class Twisty {
  @Input() in0!: InputPort<number>;
  @Input() in1!: InputPort<number>;
  @Output() out0!: OutputPort<number>;
  @Output() out1!: OutputPort<number>;

  @Reaction('in1', { writes: ['out1'] })
  pass1(): void {
    this.out1.set(this.in1.value!);
  }

  @Reaction('in0', { writes: ['out0'] })
  pass0(): void {
    this.out0.set(this.in0.value!);
  }
}

@DataflowNode({ name: 'check' })
class Checker {
  @Input() in!: InputPort<number>;
  #count = 0;

  @Reaction('in')
  take({ now }: NodeContext): void {
    check('the value and its tag', [this.in.value, now], [42, at(0)]);
    this.#count++;
  }

  @OnShutdown()
  end(): void {
    check('the number of messages', this.#count, 1);
  }
}

/** Two nodes depend on each other without delay, but no reaction depends on itself. */
export const spuriousDependency: Program = {
  name: 'SpuriousDependency',
  graph: (g) => {
    const [t0, t1] = [g.node(Twisty, { name: 't0' }), g.node(Twisty, { name: 't1' })];
    const [source, checker] = [g.node(Source), g.node(Checker)];
    g.connect(source.out, t0.in1);
    g.connect(t0.out1, t1.in0);
    g.connect(t1.out1, t0.in0);
    g.connect(t1.out0, checker.in);
  },
  options: { fast: true },
  processes: { one: ['source'], two: ['t0', 't1'], three: ['check'] },
  isDeterministic: true,
  expected: { status: 'completed', stopTag: at(0, 1), firings: { source: 1, t0: 1, t1: 1, check: 2 } },
};
