import {
  DataflowNode,
  Input,
  InputPort,
  LogicalAction,
  type NodeContext,
  OnShutdown,
  OnStart,
  OnTimer,
  Output,
  OutputPort,
  Reaction,
  span,
} from '../index.js';
import { type Deferred, deferred, Recorder, runAlone, setup } from '../run/graph.fixture.js';

@DataflowNode()
class Counter {
  @Output() out!: OutputPort<number>;
  #count = 0;

  @OnTimer({ period: span.ms(1) })
  tick(): void {
    this.out.set(++this.#count);
  }
}

@DataflowNode()
class Echo {
  @Input() in!: InputPort<number>;
  @Output() out!: OutputPort<number>;

  @Reaction('in')
  answer(): void {
    this.out.set(this.in.value!);
  }
}

describe('reactions', () => {
  it('run at strictly increasing tags', async () => {
    @DataflowNode()
    class Restless {
      @LogicalAction() again!: LogicalAction<number>;
      readonly tags: [number, number][] = [];

      @OnStart()
      @OnTimer({ offset: span.ms(1), period: span.ms(2) })
      @Reaction('again')
      run({ now, random }: NodeContext): void {
        this.tags.push([now.time, now.microstep]);
        if (this.tags.length < 200) this.again.schedule(span.ns(Math.floor(random() * 4)), 1);
      }
    }
    const { node } = await runAlone(Restless, { timeout: span.ms(50) });
    expect(node.tags.length).toBeGreaterThan(200);
    for (const [i, [time, microstep]] of node.tags.slice(1).entries()) {
      const [before, step] = node.tags[i]!;
      expect(time > before || (time === before && microstep > step)).toBe(true);
    }
  });

  it('run once per tag, after all inputs of the tag have arrived over paths of any length', async () => {
    @DataflowNode()
    class Join {
      @Input() near!: InputPort<number>;
      @Input() far!: InputPort<number>;
      readonly seen: unknown[] = [];

      @Reaction('near', 'far')
      join(): void {
        this.seen.push([this.near.value, this.far.value]);
      }
    }
    const { dataflow } = setup(
      (g) => {
        // The join is the first node, so that its position does not help.
        const join = g.node(Join);
        const source = g.node(Counter);
        g.connect(source.out, join.near);
        let last = source.out;
        for (let i = 0; i < 5; i++) {
          const echo = g.node(Echo, { name: `echo-${i}` });
          g.connect(last, echo.in);
          last = echo.out;
        }
        g.connect(last, join.far);
      },
      { timeout: span.ms(2) },
    );
    const report = await dataflow.run();
    expect(dataflow.node<Join>('join')!.seen).toEqual([
      [1, 1],
      [2, 2],
      [3, 3],
    ]);
    expect(report.nodes['join']).toMatchObject({ tags: 3, firings: 3 });
  });

  it('of a node run in declaration order, whatever triggers them, and shutdown reactions last', async () => {
    @DataflowNode()
    class Ordered {
      @LogicalAction() soon!: LogicalAction;
      readonly ran: string[] = [];

      @OnShutdown() last(): void {
        this.ran.push('last');
      }
      @Reaction('soon') first(): void {
        this.ran.push('first');
      }
      @OnStart() second(): void {
        this.soon.schedule(span.ms(1));
      }
      @OnTimer({ offset: span.ms(1) }) third({ requestShutdown }: NodeContext): void {
        this.ran.push('third');
        requestShutdown({ at: span.ms(1) });
      }
      @Reaction('soon') fourth(): void {
        this.ran.push('fourth');
      }
    }
    const { node } = await runAlone(Ordered, { timeout: span.ms(1) });
    expect(node.ran).toEqual(['first', 'third', 'fourth', 'last']);
  });

  it('see changes made by an earlier reaction of their node at the same tag', async () => {
    @DataflowNode()
    class Shares {
      state = 0;
      seen = 0;
      @OnTimer() async write(): Promise<void> {
        await Promise.resolve();
        this.state = 7;
      }
      @OnTimer() read(): void {
        this.seen = this.state;
      }
    }
    expect((await runAlone(Shares)).node.seen).toBe(7);
  });

  it('hold their tag until they settle', async () => {
    @DataflowNode()
    class Slow {
      @Input() in!: InputPort<number>;
      @Output() out!: OutputPort<number>;
      readonly gates: Deferred<void>[] = [];

      @Reaction('in')
      async answer(): Promise<void> {
        const gate = deferred();
        this.gates.push(gate);
        await gate.promise;
        this.out.set(this.in.value! * 10);
      }
    }
    const { dataflow, settle } = setup(
      (g) => {
        const [source, slow, end, side] = [
          g.node(Counter),
          g.node(Slow),
          g.node(Recorder),
          g.node(Recorder, { name: 'side' }),
        ];
        g.connect(source.out, slow.in);
        g.connect(slow.out, end.in);
        g.connect(source.out, side.in);
      },
      { timeout: span.ms(1) },
    );
    const run = dataflow.run();
    const [slow, end, side] = ['slow', 'recorder', 'side'].map((name) => dataflow.node(name)) as [
      Slow,
      Recorder,
      Recorder,
    ];
    await settle();
    expect([slow.gates.length, end.seen, side.seen.length]).toEqual([1, [], 1]);
    slow.gates[0]!.resolve();
    await settle();
    expect([slow.gates.length, end.seen, side.seen.length]).toEqual([2, [[0, 0, 10]], 2]);
    slow.gates[1]!.resolve();
    await run;
    expect(end.seen).toEqual([
      [0, 0, 10],
      [span.ms(1), 0, 20],
    ]);
  });

  it('of one level wait concurrently, and later levels wait for all of them', async () => {
    const gates = { a: deferred(), b: deferred() };
    const events: string[] = [];
    @DataflowNode()
    class Waits {
      @Input() in!: InputPort<number>;
      @Output() out!: OutputPort<number>;
      @Reaction('in')
      async wait({ node }: NodeContext): Promise<void> {
        events.push(`${node} begins`);
        await gates[node as 'a' | 'b'].promise;
        events.push(`${node} ends`);
        this.out.set(1);
      }
    }
    @DataflowNode()
    class Once {
      @Output() out!: OutputPort<number>;
      @OnStart() begin(): void {
        this.out.set(1);
      }
    }
    @DataflowNode()
    class After {
      @Input() in!: InputPort<number>;
      @Reaction('in') run(): void {
        events.push('after');
      }
    }
    const { dataflow, settle } = setup((g) => {
      const [once, a, b, after] = [
        g.node(Once),
        g.node(Waits, { name: 'a' }),
        g.node(Waits, { name: 'b' }),
        g.node(After),
      ];
      for (const node of [a, b]) g.connect(once.out, node.in);
      g.connect(a.out, after.in);
    });
    const run = dataflow.run();
    await settle();
    expect(events).toEqual(['a begins', 'b begins']);
    gates.a.resolve();
    await settle();
    expect(events.slice(2)).toEqual(['a ends']);
    gates.b.resolve();
    await run;
    expect(events.slice(3)).toEqual(['b ends', 'after']);
  });

  it('may return any thenable', async () => {
    @DataflowNode()
    class Odd {
      @Output() out!: OutputPort<number>;
      @OnTimer() run(): Promise<void> {
        const thenable = {
          then: (done: () => void) => {
            this.out.set(5);
            done();
          },
        };
        return thenable as unknown as Promise<void>;
      }
    }
    const { dataflow } = setup((g) => g.connect(g.node(Odd).out, g.node(Recorder).in));
    expect((await dataflow.run()).status).toBe('completed');
    expect(dataflow.node<Recorder>('recorder')!.seen).toEqual([[0, 0, 5]]);
  });
});

describe('timers', () => {
  it('fire at the offset and then every period, in logical time', async () => {
    @DataflowNode()
    class Timers {
      readonly fired: Record<string, number[]> = { once: [], late: [], often: [] };
      @OnTimer() once({ now }: NodeContext): void {
        this.fired['once']!.push(now.time);
      }
      @OnTimer({ offset: span.ms(3) }) late({ now }: NodeContext): void {
        this.fired['late']!.push(now.time);
      }
      @OnTimer({ offset: span.ms(1), period: span.ms(2) }) often({ now }: NodeContext): void {
        this.fired['often']!.push(now.time);
      }
    }
    const { node } = await runAlone(Timers, { timeout: span.ms(7) });
    expect(node.fired).toEqual({
      once: [0],
      late: [span.ms(3)],
      often: [span.ms(1), span.ms(3), span.ms(5), span.ms(7)],
    });
  });
});
