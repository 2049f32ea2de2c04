import {
  compareTags,
  DataflowNode,
  Input,
  InputPort,
  NEVER,
  type NodeContext,
  OnShutdown,
  OnStart,
  Output,
  OutputPort,
  PhysicalAction,
  Reaction,
  type Tag,
} from '@roost/dataflow/core';
import { check, type Program } from './program.js';

const MESSAGES = 30;

@DataflowNode()
class Sender {
  @Output() out!: OutputPort<number>;
  @PhysicalAction() next!: PhysicalAction<number>;

  @OnStart({ writes: [] })
  start(): void {
    this.next.schedule(0);
  }

  @Reaction('next')
  async send(): Promise<void> {
    const number = this.next.value!;
    this.out.set(number);
    // As with a device, the next input may arrive after the reaction has ended.
    if (number % 3 === 0) await new Promise((resolve) => setImmediate(resolve));
    const isLast = number === MESSAGES - 1;
    const askNext = (): void => (isLast ? this.next.close() : void this.next.schedule(number + 1));
    if (number % 2 === 0) setImmediate(askNext);
    else askNext();
  }
}

@DataflowNode()
class Receiver {
  @Input() in!: InputPort<number>;
  #received = 0;
  #last: Tag = NEVER;

  @Reaction('in')
  take({ now }: NodeContext): void {
    check('the message', this.in.value, this.#received++);
    check('whether it is later than the last one', compareTags(now, this.#last) > 0, true);
    this.#last = now;
  }

  @OnShutdown()
  end(): void {
    check('the number of messages', this.#received, MESSAGES);
  }
}

/** Like `DistributedLoopedAction`, but each message gets its time from the clock. */
export const distributedLoopedPhysicalAction: Program = {
  name: 'DistributedLoopedPhysicalAction',
  graph: (g) => {
    const [sender, receiver] = [g.node(Sender), g.node(Receiver)];
    g.connect(sender.out, receiver.in);
  },
  options: { fast: true },
  processes: { left: ['sender'], right: ['receiver'] },
  isDeterministic: false,
  expected: { status: 'completed', firings: { sender: MESSAGES + 1, receiver: MESSAGES + 1 } },
};
