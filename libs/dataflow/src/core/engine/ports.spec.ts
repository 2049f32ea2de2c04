import {
  DataflowNode,
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
import { Recorder, runAlone, setup } from '../run/graph.fixture.js';

@DataflowNode()
class EveryOther {
  @Output() out!: OutputPort<number>;
  @Output() clock!: OutputPort<number>;
  #count = 0;

  @OnTimer({ period: span.ms(1) })
  tick(): void {
    if (++this.#count % 2 === 1) this.out.set(this.#count);
    this.clock.set(this.#count);
  }
}

describe('an input', () => {
  @DataflowNode()
  class Watcher {
    @Input() plain!: InputPort<number>;
    @Input({ retain: true }) kept!: InputPort<number>;
    @Input() clock!: InputPort<number>;
    readonly seen: unknown[] = [];

    @Reaction('clock', { reads: ['plain', 'kept'] })
    look(): void {
      const { plain, kept } = this;
      this.seen.push([plain.isPresent, plain.value, plain.values, kept.isPresent, kept.value, kept.values]);
    }
  }

  it('is absent at a tag without a value, and keeps its value with retain', async () => {
    const { dataflow } = setup(
      (g) => {
        const [source, watcher] = [g.node(EveryOther), g.node(Watcher)];
        g.connect(source.out, watcher.plain);
        g.connect(source.out, watcher.kept);
        g.connect(source.clock, watcher.clock);
      },
      { timeout: span.ms(2) },
    );
    await dataflow.run();
    expect(dataflow.node<Watcher>('watcher')!.seen).toEqual([
      [true, 1, [1], true, 1, [1]],
      [false, undefined, [], false, 1, []],
      [true, 3, [3], true, 3, [3]],
    ]);
  });

  it('has no value before the first message, even with retain', async () => {
    const { dataflow } = setup((g) => g.connect(g.node(EveryOther).clock, g.node(Watcher).clock), {
      timeout: span.ms(0),
    });
    await dataflow.run();
    expect(dataflow.node<Watcher>('watcher')!.seen).toEqual([[false, undefined, [], false, undefined, []]]);
  });

  it('distinguishes an undefined value from no value', async () => {
    @DataflowNode()
    class Nothing {
      @Output() out!: OutputPort<undefined>;
      @OnStart() say(): void {
        this.out.set(undefined);
      }
    }
    const { dataflow } = setup((g) => g.connect(g.node(Nothing).out, g.node(Recorder).in));
    await dataflow.run();
    expect(dataflow.node<Recorder>('recorder')!.seen).toEqual([[0, 0, undefined]]);
  });
});

describe('a merged input', () => {
  @DataflowNode()
  class Source {
    @Output() out!: OutputPort<string>;
    @OnTimer({ period: span.ms(2) }) even({ node }: NodeContext): void {
      this.out.set(node);
    }
    @OnTimer({ offset: span.ms(1), period: span.ms(4) }) odd({ node }: NodeContext): void {
      if (node === 'b') this.out.set(node);
    }
  }
  @DataflowNode()
  class Sink {
    @Input({ retain: true }) in!: InputPort<string>;
    readonly seen: unknown[] = [];
    @OnTimer({ period: span.ms(1), reads: ['in'] }) look(): void {
      this.seen.push([this.in.isPresent, this.in.value, this.in.values]);
    }
  }

  it.each([[['a', 'b', 'c']], [['c', 'b', 'a']]])(
    'gives the values of %p in the order passed to merge()',
    async (order) => {
      const { dataflow } = setup(
        (g) => {
          const sink = g.node(Sink);
          const sources = Object.fromEntries(['a', 'b', 'c'].map((name) => [name, g.node(Source, { name })]));
          g.merge(
            order.map((name) => sources[name]!.out),
            sink.in,
          );
        },
        { timeout: span.ms(3) },
      );
      await dataflow.run();
      const [first] = order;
      expect(dataflow.node<Sink>('sink')!.seen).toEqual([
        [true, first, order],
        [true, 'b', ['b']],
        [true, first, order],
        [false, first, []],
      ]);
    },
  );

  it('retains the same value no matter which path is longest', async () => {
    @DataflowNode()
    class Detour {
      @Input() in!: InputPort<string>;
      @Output() out!: OutputPort<string>;
      @Reaction('in') pass(): void {
        this.out.set(this.in.value!);
      }
    }
    const retained = async (longWay: string) => {
      const { dataflow } = setup(
        (g) => {
          const [a, c, detour, sink] = [
            g.node(Source, { name: 'a' }),
            g.node(Source, { name: 'c' }),
            g.node(Detour),
            g.node(Sink),
          ];
          g.connect(longWay === 'a' ? a.out : c.out, detour.in);
          g.merge(longWay === 'a' ? [detour.out, c.out] : [a.out, detour.out], sink.in);
        },
        { timeout: span.ms(1) },
      );
      await dataflow.run();
      return dataflow.node<Sink>('sink')!.seen[1];
    };
    expect(await retained('a')).toEqual([false, 'a', []]);
    expect(await retained('c')).toEqual([false, 'a', []]);
  });

  it('adds each value with its position to the trace', async () => {
    const digestOf = async (order: readonly string[]) => {
      const { dataflow } = setup(
        (g) => {
          const sources = Object.fromEntries(['a', 'b'].map((name) => [name, g.node(Source, { name })]));
          g.merge(
            order.map((name) => sources[name]!.out),
            g.node(Sink).in,
          );
        },
        { timeout: span.ms(1) },
      );
      return (await dataflow.run()).nodes['sink']!.digest;
    };
    expect(await digestOf(['a', 'b'])).not.toBe(await digestOf(['b', 'a']));
  });
});

describe('payloads', () => {
  it('are frozen, for the sender too', async () => {
    @DataflowNode()
    class Sender {
      @Output() out!: OutputPort<{ list: number[] }>;
      readonly sent = { list: [1] };
      @OnStart() send(): void {
        this.out.set(this.sent);
        this.sent.list.push(2);
      }
    }
    const { report, node } = await runAlone(Sender);
    expect(report.error!.message).toContain('object is not extensible');
    expect(node.sent).toEqual({ list: [1] });
  });

  it('are copied for each receiver when they contain bytes', async () => {
    @DataflowNode()
    class Bytes {
      @Output() out!: OutputPort<Uint8Array>;
      readonly sent = new Uint8Array([1]);
      @OnStart() send(): void {
        this.out.set(this.sent);
        this.sent[0] = 9;
      }
    }
    @DataflowNode()
    class Spoils {
      @Input() in!: InputPort<Uint8Array>;
      got = 0;
      @Reaction('in') spoil(): void {
        this.got = this.in.value![0]!;
        this.in.value![0] = 7;
      }
    }
    const { dataflow } = setup((g) => {
      const bytes = g.node(Bytes);
      for (const name of ['a', 'b']) g.connect(bytes.out, g.node(Spoils, { name }).in);
    });
    await dataflow.run();
    expect([dataflow.node<Spoils>('a')!.got, dataflow.node<Spoils>('b')!.got]).toEqual([1, 1]);
    expect(dataflow.node<Bytes>('bytes')!.sent[0]).toBe(9);
  });
});
