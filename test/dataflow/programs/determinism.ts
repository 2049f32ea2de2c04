import { DataflowNode, Input, InputPort, OnTimer, Output, OutputPort, Reaction, span } from '@roost/dataflow/core';
import { at, check, type Program } from './program.js';

@DataflowNode()
class Source {
  @Output() y!: OutputPort<number>;

  @OnTimer({ period: span.ms(1) })
  tick(): void {
    this.y.set(1);
  }
}

@DataflowNode()
class Pass {
  @Input() x!: InputPort<number>;
  @Output() y!: OutputPort<number>;

  @Reaction('x')
  pass(): void {
    this.y.set(this.x.value!);
  }
}

@DataflowNode()
class Destination {
  @Input() x!: InputPort<number>;
  @Input() y!: InputPort<number>;

  @Reaction('x', 'y')
  add(): void {
    check('the sum of both paths', (this.x.value ?? 0) + (this.y.value ?? 0), 2);
  }
}

/** Two paths of different length lead to one node, which sees both values together or neither. */
export const determinism: Program = {
  name: 'Determinism',
  graph: (g) => {
    const [source, destination] = [g.node(Source), g.node(Destination)];
    const [p1, p2] = [g.node(Pass, { name: 'p1' }), g.node(Pass, { name: 'p2' })];
    g.connect(source.y, destination.y);
    g.connect(source.y, p1.x);
    g.connect(p1.y, p2.x);
    g.connect(p2.y, destination.x);
  },
  options: { fast: true, timeout: span.ms(199) },
  processes: { left: ['source'], middle: ['p1', 'p2'], right: ['destination'] },
  isDeterministic: true,
  expected: {
    status: 'stopped',
    stopTag: at(span.ms(199)),
    firings: { source: 200, p1: 200, p2: 200, destination: 200 },
  },
};
