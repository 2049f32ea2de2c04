import {
  DataflowNode,
  Input,
  InputPort,
  LogicalAction,
  type NodeContext,
  OnShutdown,
  OnStart,
  Output,
  OutputPort,
  Reaction,
  span,
} from '@roost/dataflow/core';
import { at, check, type Program } from './program.js';

@DataflowNode()
class Sender {
  @Output() out!: OutputPort<number>;
  @LogicalAction() next!: LogicalAction;
  #sent = 0;

  @OnStart()
  @Reaction('next')
  send(ctx: NodeContext): void {
    this.out.set(++this.#sent);
    if (this.#sent < 100) this.next.schedule(span.ns(0));
    ctx.requestShutdown();
  }

  @OnShutdown()
  end({ now }: NodeContext): void {
    check('the time and how many were sent', [now.time, this.#sent], [0, Math.min(now.microstep + 1, 100)]);
  }
}

@DataflowNode()
class Receiver {
  @Input() in!: InputPort<number>;
  #received = 0;

  @Reaction('in')
  take(ctx: NodeContext): void {
    check('the message', this.in.value, ++this.#received);
    ctx.requestShutdown();
  }

  @OnShutdown()
  end({ now }: NodeContext): void {
    check('the time and how many were received', [now.time, this.#received], [0, Math.min(now.microstep + 1, 100)]);
  }
}

/**
 * All nodes request a stop at the first tag and at every later one. The first request counts, and time does not
 * advance.
 */
export const distributedStopZero: Program = {
  name: 'DistributedStopZero',
  graph: (g) => {
    const [sender, receiver] = [g.node(Sender), g.node(Receiver)];
    g.connect(sender.out, receiver.in);
  },
  options: { fast: true },
  processes: { left: ['sender'], right: ['receiver'] },
  isDeterministic: false,
  expected: { status: 'stopped', firings: {} },
  embedded: { status: 'stopped', stopTag: at(0, 1), firings: { sender: 3, receiver: 3 } },
};
