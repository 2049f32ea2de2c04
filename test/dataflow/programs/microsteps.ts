import {
  DataflowNode,
  Input,
  InputPort,
  LogicalAction,
  type NodeContext,
  OnStart,
  Output,
  OutputPort,
  Reaction,
  span,
} from '@roost/dataflow/core';
import { at, check, type Program } from './program.js';

@DataflowNode()
class Driver {
  @Output() x!: OutputPort<number>;
  @Output() y!: OutputPort<number>;
  @LogicalAction() repeat!: LogicalAction;

  @OnStart()
  start(): void {
    this.x.set(1);
    this.repeat.schedule(span.ns(0));
  }

  @Reaction('repeat')
  again(): void {
    this.y.set(1);
  }
}

@DataflowNode()
class Destination {
  @Input() x!: InputPort<number>;
  @Input() y!: InputPort<number>;

  @Reaction('x', 'y')
  take({ now }: NodeContext): void {
    check('time', now.time, 0);
    check('what is present', [this.x.isPresent, this.y.isPresent], now.microstep === 0 ? [true, false] : [false, true]);
  }
}

/** Two microsteps of the same time are two tags. */
export const microsteps: Program = {
  name: 'Microsteps',
  graph: (g) => {
    const [driver, destination] = [g.node(Driver), g.node(Destination)];
    g.connect(driver.x, destination.x);
    g.connect(driver.y, destination.y);
  },
  options: { fast: true },
  processes: { left: ['driver'], right: ['destination'] },
  isDeterministic: true,
  expected: { status: 'completed', stopTag: at(0, 2), firings: { driver: 2, destination: 2 } },
};
