import {
  compareTags,
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
import { at, check, msOf, type Program } from './program.js';

const ASKED_AT = at(span.ms(3));

@DataflowNode()
class Sender {
  @Output() out!: OutputPort<number>;
  #sent = 0;

  @OnTimer({ period: span.ms(1) })
  send(ctx: NodeContext): void {
    this.out.set(++this.#sent);
    // Both nodes request a stop, more than once.
    if (this.#sent >= 20) ctx.requestShutdown({ after: span.ms(2) });
  }

  @OnShutdown()
  end({ now }: NodeContext): void {
    check('how many were sent until the stop', this.#sent, Math.floor(msOf(now)) + 1);
  }
}

@DataflowNode()
class Receiver {
  @Input() in!: InputPort<number>;
  #received = 0;

  @Reaction('in')
  take(ctx: NodeContext): void {
    check('the message', this.in.value, ++this.#received);
    if (compareTags(ctx.now, ASKED_AT) >= 0) ctx.requestShutdown();
  }

  @OnShutdown()
  end({ now }: NodeContext): void {
    check('whether the stop is later than the request', compareTags(now, ASKED_AT) > 0, true);
    check('how many were received until the stop', this.#received, Math.floor(msOf(now)) + 1);
  }
}

/**
 * A receiver requests a stop while its sender is ahead and requests another one. Both stop at one tag, which the sender
 * has not passed, and every message up to it is received.
 */
export const distributedStop: Program = {
  name: 'DistributedStop',
  graph: (g) => {
    const [sender, receiver] = [g.node(Sender), g.node(Receiver)];
    g.connect(sender.out, receiver.in);
  },
  options: { fast: true },
  processes: { left: ['sender'], right: ['receiver'] },
  isDeterministic: false,
  expected: { status: 'stopped', firings: {} },
  embedded: { status: 'stopped', stopTag: at(span.ms(3), 1), firings: { sender: 5, receiver: 5 } },
};
