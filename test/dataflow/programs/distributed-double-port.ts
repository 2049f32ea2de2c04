import {
  DataflowNode,
  Input,
  InputPort,
  LogicalAction,
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

  @OnTimer({ period: span.seconds(1) })
  tick(): void {
    this.out.set(++this.#count);
  }
}

@DataflowNode()
class CountMicrostep {
  @Output() out!: OutputPort<number>;
  @LogicalAction() next!: LogicalAction<number>;
  #count = 0;

  @OnTimer({ period: span.seconds(1), writes: [] })
  tick(): void {
    this.next.schedule(span.ns(0), ++this.#count);
  }

  @Reaction('next')
  send(): void {
    this.out.set(this.next.value!);
  }
}

@DataflowNode()
class Print {
  @Input() first!: InputPort<number>;
  @Input() second!: InputPort<number>;
  #firsts = 0;
  #seconds = 0;

  @Reaction('first', 'second')
  take({ now }: NodeContext): void {
    if (now.microstep === 0) check('first and second', [this.first.value, this.second.value], [++this.#firsts, null]);
    else check('first and second', [this.first.value, this.second.value], [null, ++this.#seconds]);
  }

  @OnShutdown()
  end(): void {
    check('the number of messages', [this.#firsts, this.#seconds], [4, 3]);
  }
}

/** Messages of two nodes at the same time but in different microsteps never arrive together. */
export const distributedDoublePort: Program = {
  name: 'DistributedDoublePort',
  graph: (g) => {
    const [count, microstep, print] = [g.node(Count), g.node(CountMicrostep, { name: 'microstep' }), g.node(Print)];
    g.connect(count.out, print.first);
    g.connect(microstep.out, print.second);
  },
  options: { fast: true, timeout: span.seconds(3) },
  processes: { one: ['count'], two: ['microstep'], three: ['print'] },
  isDeterministic: true,
  expected: { status: 'stopped', stopTag: at(span.seconds(3)), firings: { count: 4, microstep: 7, print: 8 } },
};
