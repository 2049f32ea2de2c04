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
class Clock {
  @Output() y!: OutputPort<number>;
  #count = 0;

  @OnTimer({ period: span.seconds(1) })
  tick(): void {
    this.y.set(++this.#count);
  }
}

@DataflowNode()
class Destination {
  @Input() x!: InputPort<number>;
  #count = 0;

  @Reaction('x')
  take(): void {
    check('the count', this.x.value, ++this.#count);
  }

  @OnShutdown()
  end({ now }: NodeContext): void {
    check('the last tag and the count', [now, this.#count], [at(span.seconds(10)), 11]);
  }
}

/** Events at the time limit are handled, and none after it. */
export const timeLimit: Program = {
  name: 'TimeLimit',
  graph: (g) => {
    const [clock, destination] = [g.node(Clock), g.node(Destination)];
    g.connect(clock.y, destination.x);
  },
  options: { fast: true, timeout: span.seconds(10) },
  processes: { left: ['clock'], right: ['destination'] },
  isDeterministic: true,
  expected: { status: 'stopped', stopTag: at(span.seconds(10)), firings: { clock: 11, destination: 12 } },
};
