import {
  Dataflow,
  DataflowNode,
  type GraphBuilder,
  Input,
  InputPort,
  type NodeContext,
  OnShutdown,
  OnTimer,
  Output,
  OutputPort,
  Reaction,
  span,
} from '../index.js';

@DataflowNode()
class Source {
  @Output() out!: OutputPort<number>;
  #count = 0;

  @OnTimer({ period: span.ms(1) })
  tick(): void {
    this.out.set(++this.#count);
  }
}

@DataflowNode()
class Twice {
  @Input() in!: InputPort<number>;
  @Output() out!: OutputPort<number>;

  @Reaction('in')
  async double(): Promise<void> {
    await Promise.resolve();
    this.out.set(this.in.value! * 2);
  }
}

@DataflowNode()
class Sink {
  @Input() direct!: InputPort<number>;
  @Input() doubled!: InputPort<number>;
  readonly seen: [number | undefined, number | undefined][] = [];
  stopped = '';

  @Reaction('direct', 'doubled')
  take(): void {
    this.seen.push([this.direct.value, this.doubled.value]);
  }

  @OnShutdown()
  end(ctx: NodeContext): void {
    this.stopped = JSON.stringify(ctx.now);
  }
}

const graph = (g: GraphBuilder): void => {
  const [source, twice, sink] = [g.node(Source), g.node(Twice), g.node(Sink)];
  g.connect(source.out, twice.in);
  g.connect(source.out, sink.direct);
  g.connect(twice.out, sink.doubled);
};

describe('Dataflow', () => {
  it('joins both branches of a diamond once per tag', async () => {
    const dataflow = new Dataflow({ graph, fast: true, timeout: span.ms(9) });
    const report = await dataflow.run();
    const sink = dataflow.node<Sink>('sink')!;
    expect(sink.seen).toEqual(Array.from({ length: 10 }, (_, i) => [i + 1, 2 * i + 2]));
    expect(report).toMatchObject({ status: 'stopped', exitCode: 0, stopTag: { time: span.ms(9), microstep: 0 } });
    expect(sink.stopped).toBe('{"time":9000000,"microstep":0}');
  });
});
