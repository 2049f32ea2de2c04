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
import { at, check, msOf, type Program } from './program.js';

@DataflowNode()
class Sender {
  @Output() slow!: OutputPort<{ n: number; padding: string }>;
  @Output() quick!: OutputPort<{ n: number; padding: string }>;
  #count = 0;

  @OnTimer({ period: span.ms(1) })
  tick(): void {
    const n = this.#count++;
    // Messages of very different length.
    this.slow.set({ n, padding: 'x'.repeat((n % 5) * 4_000) });
    this.quick.set({ n, padding: '' });
  }
}

@DataflowNode()
class Receiver {
  @Input() in!: InputPort<{ n: number; padding: string }>;
  #tags = 0;

  @Reaction('in')
  take({ now }: NodeContext): void {
    const n = msOf(now);
    check('the tag', now, at(span.ms(++this.#tags)));
    check(
      'the messages',
      this.in.values.map((value) => value.n),
      n < 3 ? [n - 1] : [n - 3, n - 1],
    );
  }

  @OnShutdown()
  end(): void {
    check('how many tags', this.#tags, 20);
  }
}

/** Messages that are sent first but arrive later: the tag decides, not the order of sending. */
export const distributedNetworkOrder: Program = {
  name: 'DistributedNetworkOrder',
  graph: (g) => {
    const [sender, receiver] = [g.node(Sender), g.node(Receiver)];
    g.merge(
      [
        { from: sender.slow, after: span.ms(3) },
        { from: sender.quick, after: span.ms(1) },
      ],
      receiver.in,
    );
  },
  options: { fast: true, timeout: span.ms(20) },
  processes: { left: ['sender'], right: ['receiver'] },
  isDeterministic: true,
  expected: { status: 'stopped', stopTag: at(span.ms(20)), firings: { sender: 21, receiver: 21 } },
};
