import {
  DataflowNode,
  InvalidDataflowOptionError,
  LogicalAction,
  type NodeContext,
  OnStart,
  OnTimer,
  Output,
  OutputPort,
  Reaction,
  type Span,
  span,
} from '../index.js';
import { Recorder, runAlone, setup } from '../run/graph.fixture.js';

@DataflowNode()
class Scheduler {
  @LogicalAction() one!: LogicalAction<number>;
  @LogicalAction() other!: LogicalAction<number>;
  readonly seen: [number, number, number | undefined, number | undefined][] = [];

  @Reaction('one', 'other')
  take({ now }: NodeContext): void {
    this.seen.push([now.time, now.microstep, this.one.value, this.other.value]);
  }
}

describe('a logical action', () => {
  it('is present after its delay, or in the next microstep without one', async () => {
    @DataflowNode()
    class Plain extends Scheduler {
      @OnTimer({ offset: span.ms(1) }) begin(): void {
        this.one.schedule(span.ms(5), 5);
        this.other.schedule(span.ns(0), 0);
      }
    }
    expect((await runAlone(Plain)).node.seen).toEqual([
      [span.ms(1), 1, undefined, 0],
      [span.ms(6), 0, 5, undefined],
    ]);
  });

  it('moves to the next free microstep when it is already due', async () => {
    @DataflowNode()
    class Crowded extends Scheduler {
      @OnStart() begin(): void {
        for (const value of [1, 2, 3]) this.one.schedule(span.ms(1), value);
        this.other.schedule(span.ms(1), 9);
      }
    }
    expect((await runAlone(Crowded)).node.seen).toEqual([
      [span.ms(1), 0, 1, 9],
      [span.ms(1), 1, 2, undefined],
      [span.ms(1), 2, 3, undefined],
    ]);
  });

  it('can be scheduled again for a tag that has become free', async () => {
    @DataflowNode()
    class Again extends Scheduler {
      @OnStart() begin(): void {
        this.one.schedule(span.ms(2), 1);
      }
      @OnTimer({ offset: span.ms(1), period: span.ms(1) }) then({ now }: NodeContext): void {
        if (now.time < span.toNs(span.ms(4))) this.one.schedule(span.ms(1), now.time / 1e6);
      }
    }
    expect((await runAlone(Again, { timeout: span.ms(10) })).node.seen).toEqual([
      [span.ms(2), 0, 1, undefined],
      [span.ms(2), 1, 1, undefined],
      [span.ms(3), 0, 2, undefined],
      [span.ms(4), 0, 3, undefined],
    ]);
  });

  it('can also be scheduled through the context', async () => {
    @DataflowNode()
    class Through extends Scheduler {
      @LogicalAction() bare!: LogicalAction;
      isHere = false;
      @OnStart() begin(ctx: NodeContext): void {
        ctx.schedule(span.ms(1), this.one, 4);
        ctx.schedule(span.ms(2), this.bare);
      }
      @Reaction('bare') here(): void {
        this.isHere = this.bare.isPresent && this.bare.value === undefined;
      }
    }
    const { node } = await runAlone(Through);
    expect(node.seen).toEqual([[span.ms(1), 0, 4, undefined]]);
    expect(node.isHere).toBe(true);
  });

  it('freezes its value', async () => {
    @DataflowNode()
    class Gives {
      @LogicalAction() list!: LogicalAction<number[]>;
      got: unknown;
      @OnStart() begin(): void {
        this.list.schedule(span.ms(1), [1]);
      }
      @Reaction('list') take(): void {
        this.got = this.list.value;
      }
    }
    const { node } = await runAlone(Gives);
    expect(node.got).toEqual([1]);
    expect(Object.isFrozen(node.got)).toBe(true);
  });

  it.each([[-1], [0.5], [NaN], [Infinity], ['5'], [undefined]])('rejects a delay of %p', async (delay) => {
    @DataflowNode()
    class Wrong extends Scheduler {
      @OnStart() begin(ctx: NodeContext): void {
        const how =
          ctx.node === 'direct' ? this.one : { schedule: (length: Span) => ctx.schedule(length, () => undefined) };
        how.schedule(delay as never, 1);
      }
    }
    for (const name of ['direct', 'function']) {
      const { dataflow } = setup((g) => g.node(Wrong, { name }));
      const report = await dataflow.run();
      expect(report.error).toBeInstanceOf(InvalidDataflowOptionError);
      expect(report.error!.message).toContain(`\`delay of a schedule() call in node "${name}"\` is `);
    }
  });
});

describe('a function passed to ctx.schedule()', () => {
  it('runs before the reactions of its tag, in the order of the calls', async () => {
    @DataflowNode()
    class Continues {
      readonly ran: string[] = [];
      @OnStart() begin(ctx: NodeContext): void {
        ctx.schedule(span.ms(1), () => void this.ran.push('sync 1'));
        ctx.schedule(span.ms(1), async () => {
          await Promise.resolve();
          this.ran.push('async 2');
        });
        ctx.schedule(span.ms(1), () => void this.ran.push('sync 3'));
        ctx.schedule(span.ms(1), async () => {
          await Promise.resolve();
          this.ran.push('async 4');
        });
      }
      @OnTimer({ offset: span.ms(1) }) reaction(): void {
        this.ran.push('reaction');
      }
    }
    const { node, report } = await runAlone(Continues);
    expect(node.ran).toEqual(['sync 1', 'async 2', 'sync 3', 'async 4', 'reaction']);
    expect(report.nodes['alone']).toMatchObject({ tags: 2, firings: 3 });
  });

  it('gets the context of its own tag, and may write and schedule there', async () => {
    @DataflowNode()
    class Chain {
      @Output() out!: OutputPort<number>;
      @OnStart() begin(ctx: NodeContext): void {
        const next = (count: number) => (then: NodeContext) => {
          this.out.set(count);
          if (count < 3) then.schedule(count === 1 ? span.ns(0) : span.ms(1), next(count + 1));
        };
        ctx.schedule(span.ns(0), next(1));
      }
    }
    const { dataflow } = setup((g) => g.connect(g.node(Chain).out, g.node(Recorder).in));
    await dataflow.run();
    expect(dataflow.node<Recorder>('recorder')!.seen).toEqual([
      [0, 1, 1],
      [0, 2, 2],
      [span.ms(1), 0, 3],
    ]);
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('broken');
      },
    ],
    ['rejects', () => Promise.reject(new Error('broken'))],
  ])('stops the graph by force when it %s', async (_, then) => {
    let ran = false;
    @DataflowNode()
    class Fails {
      @OnStart() begin(ctx: NodeContext): void {
        ctx.schedule(span.ms(1), then);
        ctx.schedule(span.ms(1), () => void (ran = true));
      }
    }
    const { report } = await runAlone(Fails);
    expect(report).toMatchObject({
      status: 'forced',
      error: { code: 'DATAFLOW_REACTION_FAILED', reaction: 'schedule' },
    });
    expect(report.error!.message).toContain('alone.schedule() failed at (1 ms, 0): broken');
    expect(ran).toBe(false);
  });
});
