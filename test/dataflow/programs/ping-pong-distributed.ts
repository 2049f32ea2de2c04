import {
  DataflowNode,
  Input,
  InputPort,
  type NodeContext,
  OnShutdown,
  OnStart,
  Output,
  OutputPort,
  Reaction,
  span,
} from '@roost/dataflow/core';
import { at, check, type Program } from './program.js';

const ROUNDS = 100;

@DataflowNode()
class Ping {
  @Input() receive!: InputPort<number>;
  @Output() send!: OutputPort<number>;
  #left = ROUNDS;

  @OnStart()
  start(): void {
    this.send.set(this.#left);
  }

  @Reaction('receive')
  next({ now }: NodeContext): void {
    check('the returned value and its tag', [this.receive.value, now], [this.#left, at(0, ROUNDS - this.#left + 1)]);
    if (--this.#left > 0) this.send.set(this.#left);
  }

  @OnShutdown()
  end(): void {
    check('remaining rounds', this.#left, 0);
  }
}

@DataflowNode()
class Pong {
  @Input() receive!: InputPort<number>;
  @Output() send!: OutputPort<number>;

  @Reaction('receive')
  back(): void {
    this.send.set(this.receive.value!);
  }
}

/** A message goes back and forth a limited number of times: a cycle that ends on its own. */
export const pingPongDistributed: Program = {
  name: 'PingPongDistributed',
  graph: (g) => {
    const [ping, pong] = [g.node(Ping), g.node(Pong)];
    g.connect(ping.send, pong.receive);
    g.connect(pong.send, ping.receive, { after: span.ns(0) });
  },
  options: { fast: true },
  processes: { left: ['ping'], right: ['pong'] },
  isDeterministic: true,
  expected: {
    status: 'completed',
    stopTag: at(0, ROUNDS + 1),
    firings: { ping: ROUNDS + 2, pong: ROUNDS },
  },
};
