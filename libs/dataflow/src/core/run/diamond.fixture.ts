import {
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
export class Sink {
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

/** Two paths from a source to a sink, one of which doubles the values. */
export const diamond = (g: GraphBuilder): void => {
  const [source, twice, sink] = [g.node(Source), g.node(Twice), g.node(Sink)];
  g.connect(source.out, twice.in);
  g.connect(source.out, sink.direct);
  g.connect(twice.out, sink.doubled);
};
