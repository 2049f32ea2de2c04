import {
  compareTags,
  DataflowNode,
  Input,
  InputPort,
  type NodeContext,
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
class Destination {
  @Input() in!: InputPort<number>;

  @Reaction('in')
  take({ now }: NodeContext): void {
    check('the value, and whether it came after the start', [this.in.value, compareTags(now, at(0)) > 0], [42, true]);
  }
}

/** A message over a physical connection gets its tag from the receiver's clock, and is not lost at the end. */
export const physicalConnection: Program = {
  name: 'PhysicalConnection',
  graph: (g) => {
    const [source, destination] = [g.node(Source), g.node(Destination)];
    g.connectPhysical(source.out, destination.in);
  },
  options: { fast: true },
  processes: { left: ['source'], right: ['destination'] },
  isDeterministic: false,
  expected: { status: 'completed', firings: { source: 1, destination: 1 } },
};
