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
class Source {
  @Output() out!: OutputPort<number>;

  @OnStart()
  start(): void {
    this.out.set(1);
  }
}

@DataflowNode()
class GeneratedDelay {
  @Input() in!: InputPort<number>;
  @Output() out!: OutputPort<number>;
  @LogicalAction() pending!: LogicalAction<number>;

  @Reaction('in', { writes: [] })
  hold(): void {
    this.pending.schedule(span.ms(100), this.in.value! + 1);
  }

  @Reaction('pending')
  release(): void {
    this.out.set(this.pending.value!);
  }
}

@DataflowNode()
class Sink {
  @Input() in!: InputPort<number>;

  @Reaction('in')
  take({ now }: NodeContext): void {
    check('the value and its tag', [this.in.value, now], [2, at(span.ms(100))]);
  }
}

/** An action delays a value. */
export const actionDelay: Program = {
  name: 'ActionDelay',
  graph: (g) => {
    const [source, delay, sink] = [g.node(Source), g.node(GeneratedDelay, { name: 'delay' }), g.node(Sink)];
    g.connect(source.out, delay.in);
    g.connect(delay.out, sink.in);
  },
  options: { fast: true },
  processes: { one: ['source'], two: ['delay'], three: ['sink'] },
  isDeterministic: true,
  expected: { status: 'completed', stopTag: at(span.ms(100), 1), firings: { source: 1, delay: 2, sink: 1 } },
};
