import {
  DataflowNode,
  type GraphBuilder,
  Input,
  InputPort,
  type NodeContext,
  OnStart,
  OnTimer,
  Output,
  OutputPort,
  Reaction,
  span,
} from '../index.js';
import { at, Recorder, setup } from '../run/graph.fixture.js';

describe('connections', () => {
  const delivered = async (
    type: new () => { out: OutputPort<number> },
    after?: Parameters<GraphBuilder['connect']>[2],
  ) => {
    const { dataflow } = setup((g) => g.connect(g.node(type).out, g.node(Recorder).in, after));
    await dataflow.run();
    return dataflow.node<Recorder>('recorder')!.seen;
  };

  @DataflowNode()
  class Once {
    @Output() out!: OutputPort<number>;
    @OnTimer({ offset: span.ms(2) }) run(): void {
      this.out.set(1);
    }
  }

  it('deliver a value at the same tag, a microstep later or after a delay', async () => {
    expect(await delivered(Once)).toEqual([[span.ms(2), 0, 1]]);
    expect(await delivered(Once, { after: span.ns(0) })).toEqual([[span.ms(2), 1, 1]]);
    expect(await delivered(Once, { after: span.ms(5) })).toEqual([[span.ms(7), 0, 1]]);
  });

  @DataflowNode()
  class Burst {
    @Output() out!: OutputPort<number>;
    #left = 3;
    @OnTimer() begin(ctx: NodeContext): void {
      this.#send(ctx);
    }
    #send(ctx: NodeContext): void {
      this.out.set(this.#left);
      if (--this.#left > 0) ctx.schedule(span.ns(0), (later) => this.#send(later));
    }
  }

  it('lose nothing when a delay maps several microsteps to one time: the values arrive in microsteps', async () => {
    expect(await delivered(Burst, { after: span.ms(1) })).toEqual([
      [span.ms(1), 0, 3],
      [span.ms(1), 1, 2],
      [span.ms(1), 2, 1],
    ]);
    expect(await delivered(Burst, { after: span.ns(0) })).toEqual([
      [0, 1, 3],
      [0, 2, 2],
      [0, 3, 1],
    ]);
  });

  it('deliver to every connected input', async () => {
    const { dataflow } = setup((g) => {
      const once = g.node(Once);
      for (let i = 0; i < 3; i++) g.connect(once.out, g.node(Recorder, { name: `r${i}` }).in);
    });
    await dataflow.run();
    for (let i = 0; i < 3; i++) expect(dataflow.node<Recorder>(`r${i}`)!.seen).toEqual([[span.ms(2), 0, 1]]);
  });

  it('may form a loop with a delay, even on a single node', async () => {
    @DataflowNode()
    class Loop {
      @Input() in!: InputPort<number>;
      @Output() out!: OutputPort<number>;
      readonly tags: unknown[] = [];
      @OnStart() begin(): void {
        this.out.set(0);
      }
      @Reaction('in') count({ now }: NodeContext): void {
        this.tags.push(now);
        if (this.in.value! < 2) this.out.set(this.in.value! + 1);
      }
    }
    const { dataflow } = setup((g) => {
      const loop = g.node(Loop);
      g.connect(loop.out, loop.in, { after: span.ns(0) });
    });
    const report = await dataflow.run();
    expect(dataflow.node<Loop>('loop')!.tags).toEqual([at(0, 1), at(0, 2), at(0, 3)]);
    expect(report).toMatchObject({ status: 'completed', stopTag: at(0, 4) });
  });
});
