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

@DataflowNode()
class Fed {
  @Input() in!: InputPort<string>;
  @Output() out!: OutputPort<string>;
  readonly #heard: string[] = [];

  @OnStart()
  start({ node }: NodeContext): void {
    this.out.set(`hello from ${node}`);
  }

  @Reaction('in')
  take({ now }: NodeContext): void {
    check('the tag', now, at(span.seconds(3)));
    this.#heard.push(this.in.value!);
  }

  @OnShutdown()
  end({ node }: NodeContext): void {
    check('the greetings', this.#heard, node === 'fed1' ? [] : ['hello from fed1']);
  }
}

/** One node greets another. The greeting of the other is not connected. */
export const simpleFederated: Program = {
  name: 'SimpleFederated',
  graph: (g) => {
    const [fed1, fed2] = [g.node(Fed, { name: 'fed1' }), g.node(Fed, { name: 'fed2' })];
    g.connect(fed1.out, fed2.in, { after: span.seconds(3) });
  },
  options: { fast: true },
  processes: { left: ['fed1'], right: ['fed2'] },
  isDeterministic: true,
  expected: { status: 'completed', stopTag: at(span.seconds(3), 1), firings: { fed1: 2, fed2: 3 } },
};
