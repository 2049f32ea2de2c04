import {
  Dataflow,
  DataflowNode,
  type GraphBuilder,
  Input,
  InputPort,
  type NodeContext,
  OnTimer,
  Output,
  OutputPort,
  span,
} from '../index.js';

@DataflowNode()
class Source {
  @Output() out!: OutputPort<string>;

  @OnTimer()
  async send({ node }: NodeContext): Promise<void> {
    if (node === 'second') await new Promise((resolve) => setImmediate(resolve));
    this.out.set(node);
  }
}

@DataflowNode()
class Sink {
  @Input({ retain: true }) in!: InputPort<string>;
  readonly seen: [string | undefined, readonly string[]][] = [];

  @OnTimer({ reads: ['in'] })
  @OnTimer({ offset: span.ms(1) })
  look(): void {
    this.seen.push([this.in.value, this.in.values]);
  }
}

const graph = (g: GraphBuilder): void => {
  const [first, second] = [g.node(Source, { name: 'first' }), g.node(Source, { name: 'second' })];
  g.merge([first.out, second.out], g.node(Sink).in);
};

describe('fan-in', () => {
  it('retains the first value in the declared order, no matter which arrived last', async () => {
    const dataflow = new Dataflow({ graph, fast: true });
    await dataflow.run();

    expect(dataflow.node<Sink>('sink')!.seen).toEqual([
      ['first', ['first', 'second']],
      ['first', []],
    ]);
  });
});
