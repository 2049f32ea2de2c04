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
  @Output() y!: OutputPort<number>;

  @OnStart()
  start(): void {
    this.y.set(1);
  }
}

@DataflowNode()
class Later {
  @Input() x!: InputPort<number>;
  @LogicalAction() action!: LogicalAction;

  @Reaction('x')
  take(ctx: NodeContext): void {
    ctx.schedule(span.ms(200), this.action);
  }

  @Reaction('action')
  act({ now }: NodeContext): void {
    check('the tag of the action', now, at(span.ms(200)));
  }
}

/** An action is present at its scheduled tag. */
export const schedule: Program = {
  name: 'Schedule',
  graph: (g) => {
    const [source, later] = [g.node(Source), g.node(Later)];
    g.connect(source.y, later.x);
  },
  options: { fast: true },
  processes: { left: ['source'], right: ['later'] },
  isDeterministic: true,
  expected: { status: 'completed', stopTag: at(span.ms(200), 1), firings: { source: 1, later: 2 } },
};
