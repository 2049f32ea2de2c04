import { ManualClock } from '@roost/time/testing';
import {
  DataflowNode,
  Input,
  InputPort,
  type NodeContext,
  OnTimer,
  Output,
  OutputPort,
  PhysicalAction,
  Reaction,
  span,
} from '../index.js';
import { at, deferred, Recorder, setup } from './graph.fixture.js';

const tickerOn = (clock: ManualClock) => {
  @DataflowNode()
  class Ticker {
    @Output() out!: OutputPort<number>;
    readonly ticks: [logicalMs: number, clockMs: number][] = [];
    @OnTimer({ period: span.ms(10) }) tick({ now }: NodeContext): void {
      this.ticks.push([now.time / 1e6, clock.monotonic()]);
      this.out.set(now.time);
    }
  }
  return Ticker;
};

describe('a graph in real time', () => {
  it('handles no tag before its time on the clock', async () => {
    const clock = new ManualClock();
    const Ticker = tickerOn(clock);
    const { dataflow } = setup((g) => g.node(Ticker), { fast: false, clock, timeout: span.ms(25) });
    const run = dataflow.run();
    const { ticks } = dataflow.node<InstanceType<typeof Ticker>>('ticker')!;
    await clock.advanceAsync(9.999);
    expect(ticks).toEqual([[0, 0]]);
    await clock.advanceAsync(0.001);
    expect(ticks).toHaveLength(2);
    await clock.advanceAsync(20);
    expect(await run).toMatchObject({ stopTag: at(span.ms(25)) });
    expect(ticks).toEqual([
      [0, 0],
      [10, 10],
      [20, 20],
    ]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('catches up with a clock that is ahead, without skipping tags', async () => {
    const clock = new ManualClock();
    const Ticker = tickerOn(clock);
    const { dataflow } = setup((g) => g.node(Ticker), { fast: false, clock, timeout: span.ms(30) });
    const run = dataflow.run();
    await Promise.resolve();
    clock.advance(100);
    await clock.advanceAsync(0);
    await run;
    expect(dataflow.node<InstanceType<typeof Ticker>>('ticker')!.ticks).toEqual([
      [0, 0],
      [10, 100],
      [20, 100],
      [30, 100],
    ]);
  });

  it('follows the clock from any start, in fractions of a millisecond', async () => {
    const clock = new ManualClock();
    clock.advance(1e6 / 3);
    @DataflowNode()
    class Fine {
      count = 0;
      @OnTimer({ period: span.us(1) }) tick(): void {
        this.count++;
      }
    }
    const { dataflow } = setup((g) => g.node(Fine), { fast: false, clock, timeout: span.us(50) });
    const run = dataflow.run();
    for (let i = 1; i <= 50; i++) {
      await clock.advanceAsync(0.001);
      expect(dataflow.node<Fine>('fine')!.count).toBe(i + 1);
    }
    await run;
  });

  it('ignores corrections of the wall clock', async () => {
    const clock = new ManualClock({ now: 1e12 });
    const Ticker = tickerOn(clock);
    const { dataflow } = setup((g) => g.node(Ticker), { fast: false, clock, timeout: span.ms(20) });
    const run = dataflow.run();
    await clock.advanceAsync(5);
    clock.jumpWall(-3_600_000);
    await clock.advanceAsync(5);
    clock.jumpWall(7_200_000);
    await clock.advanceAsync(10);
    await run;
    expect(dataflow.node<InstanceType<typeof Ticker>>('ticker')!.ticks.map(([, clockMs]) => clockMs)).toEqual([
      0, 10, 20,
    ]);
  });
});

describe('a fast graph', () => {
  it('does not wait for the clock', async () => {
    const clock = new ManualClock();
    const Ticker = tickerOn(clock);
    const { dataflow } = setup((g) => g.node(Ticker), { clock, timeout: span.ms(30) });
    await dataflow.run();
    expect(dataflow.node<InstanceType<typeof Ticker>>('ticker')!.ticks.map(([, clockMs]) => clockMs)).toEqual([
      0, 0, 0, 0,
    ]);
  });

  it('yields to the rest of the process', async () => {
    const clock = new ManualClock();
    const Ticker = tickerOn(clock);
    const { dataflow } = setup((g) => g.node(Ticker), { clock });
    const run = dataflow.run();
    await new Promise(setImmediate);
    await dataflow.requestShutdown();
    expect((await run).status).toBe('stopped');
  });

  it('yields after some milliseconds even if there are few tags', async () => {
    const clock = new ManualClock();
    let turns = 0;
    @DataflowNode()
    class Slow {
      @OnTimer({ period: span.ms(1) }) work({ now, requestShutdown }: NodeContext): void {
        clock.advance(1);
        if (now.time === 0) setImmediate(() => (turns = clock.monotonic()));
        if (now.time === span.toNs(span.ms(100))) requestShutdown();
      }
    }
    const { dataflow } = setup((g) => g.node(Slow), { clock });
    await dataflow.run();
    expect(turns).toBeGreaterThan(0);
    expect(turns).toBeLessThan(50);
  });

  it('waits in a real-time node and downstream of it', async () => {
    const clock = new ManualClock();
    const Ticker = tickerOn(clock);
    @DataflowNode({ realTime: true })
    class Gate {
      @Input() in!: InputPort<number>;
      @Output() out!: OutputPort<number>;
      readonly passed: number[] = [];
      @Reaction('in') pass(): void {
        this.passed.push(clock.monotonic());
        this.out.set(this.in.value!);
      }
    }
    const { dataflow } = setup(
      (g) => {
        const [ticker, gate, recorder] = [g.node(Ticker), g.node(Gate), g.node(Recorder)];
        g.connect(ticker.out, gate.in);
        g.connect(gate.out, recorder.in);
      },
      { clock, timeout: span.ms(20) },
    );
    const run = dataflow.run();
    const ticks = () => dataflow.node<InstanceType<typeof Ticker>>('ticker')!.ticks.length;
    await clock.advanceAsync(5);
    expect([ticks(), dataflow.node<Gate>('gate')!.passed]).toEqual([2, [0]]);
    await clock.advanceAsync(20);
    await run;
    expect(dataflow.node<Gate>('gate')!.passed).toEqual([0, 10, 20]);
    expect(dataflow.node<Recorder>('recorder')!.seen).toHaveLength(3);
  });

  it('drops a reaction that waits for its time during a stop by force, and leaves no timer', async () => {
    let ran = 0;
    @DataflowNode({ realTime: true })
    class Later {
      @OnTimer({ offset: span.ms(1_000) }) run(): void {
        ran++;
      }
    }
    const { dataflow, clock } = setup((g) => g.node(Later));
    const run = dataflow.run();
    await clock.advanceAsync(1);
    await dataflow.forceStop('enough');
    expect((await run).status).toBe('forced');
    expect(clock.pendingTimers).toBe(0);
    await clock.advanceAsync(2_000);
    expect(ran).toBe(0);
  });

  it('drops a reaction whose time comes at the moment of a stop by force', async () => {
    let ran = 0;
    @DataflowNode({ realTime: true })
    class Later {
      @PhysicalAction() door!: PhysicalAction;
      @OnTimer({ offset: span.ms(10) }) run(): void {
        ran++;
      }
    }
    const { dataflow, clock, settle } = setup((g) => g.node(Later));
    const run = dataflow.run();
    await settle();
    clock.setTimer(10, () => void dataflow.forceStop('now'));
    clock.advance(10);
    await run;
    await settle();
    expect(ran).toBe(0);
  });
});

describe('lag', () => {
  it('logs one warning per episode', async () => {
    const clock = new ManualClock();
    const gates = [deferred(), deferred()];
    @DataflowNode()
    class Busy {
      @OnTimer({ period: span.ms(10) }) async tick({ now }: NodeContext): Promise<void> {
        if (now.time === span.toNs(span.ms(10))) await gates[0]!.promise;
        if (now.time === span.toNs(span.ms(1_000))) await gates[1]!.promise;
      }
    }
    const { dataflow, logger } = setup((g) => g.node(Busy), {
      fast: false,
      clock,
      lagWarningMs: 100,
      timeout: span.ms(1_500),
    });
    const run = dataflow.run();
    await clock.advanceAsync(400);
    expect(logger.lines).toEqual([]);
    gates[0]!.resolve();
    await clock.advanceAsync(0);
    expect(logger.lines).toEqual(['warn: node "busy" at (10 ms, 0) at 400 ms: 390 ms behind the clock']);
    // In steps, because a graph that catches up yields in between.
    for (let i = 0; i < 100; i++) await clock.advanceAsync(10);
    gates[1]!.resolve();
    for (let i = 0; i < 20; i++) await clock.advanceAsync(10);
    await run;
    expect(logger.lines.slice(1)).toEqual(['warn: node "busy" at (1 s, 0) at 1.4 s: 400 ms behind the clock']);
  });

  it('is not reported when an idle graph stops', async () => {
    @DataflowNode()
    class Waiting {
      @PhysicalAction() word!: PhysicalAction<string>;
    }
    const { clock, dataflow, logger } = setup((g) => g.node(Waiting), { fast: false });
    const run = dataflow.run();
    await clock.advanceAsync(60_000);
    await dataflow.requestShutdown();
    await run;
    expect(logger.lines).toEqual([]);
  });

  it('of several nodes is one warning, and a fast graph has none', async () => {
    const lines = async (fast: boolean) => {
      const clock = new ManualClock();
      @DataflowNode()
      class Slow {
        @OnTimer() run(): void {
          clock.advance(5_000);
        }
      }
      const { dataflow, logger } = setup(
        (g) => {
          g.node(Slow);
          g.node(Recorder);
        },
        { clock, fast },
      );
      await dataflow.run();
      return logger.lines;
    };
    expect(await lines(false)).toEqual(['warn: 2 nodes at (0 ns, 0) at 5 s: 5 s behind the clock']);
    expect(await lines(true)).toEqual([]);
  });
});

describe('trace', () => {
  it('logs every tag with both clocks and the active nodes', async () => {
    const clock = new ManualClock();
    const Ticker = tickerOn(clock);
    @DataflowNode()
    class Late {
      @OnTimer({ offset: span.ms(5) }) run(): void {}
    }
    const { dataflow, logger } = setup(
      (g) => {
        const ticker = g.node(Ticker);
        g.connect(ticker.out, g.node(Recorder).in);
        g.node(Late);
      },
      { clock, trace: true, timeout: span.ms(12) },
    );
    await dataflow.run();
    expect(logger.lines).toEqual([
      'log: (0 ns, 0) at 0 ns: ticker, recorder',
      'log: (5 ms, 0) at 0 ns: late',
      'log: (10 ms, 0) at 0 ns: ticker, recorder',
      'log: (12 ms, 0) at 0 ns: no nodes',
    ]);
  });
});
