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

const BURSTS = 5;
const BURST = 10;

@DataflowNode()
class Sender {
  @Output() out!: OutputPort<number>;
  @LogicalAction() next!: LogicalAction;
  #sent = 0;

  @OnStart()
  @Reaction('next')
  send(): void {
    this.out.set(this.#sent++);
    if (this.#sent < BURSTS * BURST) this.next.schedule(this.#sent % BURST === 0 ? span.ms(1) : span.ns(0));
  }
}

@DataflowNode()
class Receiver {
  @Input() in!: InputPort<number>;
  #received = 0;

  @Reaction('in')
  take({ now }: NodeContext): void {
    const tag = at(span.ms(Math.floor(this.#received / BURST)), this.#received % BURST);
    check('the message and its tag', [this.in.value, now], [this.#received++, tag]);
  }

  @OnShutdown()
  end(): void {
    check('the number of messages', this.#received, BURSTS * BURST);
  }
}

/** Bursts of messages in successive microsteps, with pauses, until an end. */
export const distributedLoopedAction: Program = {
  name: 'DistributedLoopedAction',
  graph: (g) => {
    const [sender, receiver] = [g.node(Sender), g.node(Receiver)];
    g.connect(sender.out, receiver.in);
  },
  options: { fast: true },
  processes: { left: ['sender'], right: ['receiver'] },
  isDeterministic: true,
  expected: { status: 'completed', stopTag: at(span.ms(4), 10), firings: { sender: 50, receiver: 51 } },
};
