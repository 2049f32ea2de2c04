import { ManualClock } from '@roost/time/testing';
import {
  Dataflow,
  DataflowNode,
  DataflowNotRunningError,
  type DataflowOptions,
  type GraphBuilder,
  type NodeContext,
  OnShutdown,
  OnTimer,
  PhysicalAction,
  Reaction,
  span,
} from '../index.js';

@DataflowNode()
class Ticker {
  readonly dates: number[] = [];
  hooks = 0;
  @PhysicalAction() sensor!: PhysicalAction<number>;
  release!: () => void;

  @OnTimer({ period: span.ms(10) })
  tick(ctx: NodeContext): void {
    this.dates.push(ctx.date.getTime());
  }

  @Reaction('sensor')
  wait(): Promise<void> {
    return new Promise((resolve) => (this.release = resolve));
  }

  @OnShutdown()
  stop(): void {
    this.hooks++;
  }
}

const setup = (options: Partial<DataflowOptions> = {}) => {
  const clock = new ManualClock({ now: 1_000 });
  const dataflow = new Dataflow({
    graph: (g: GraphBuilder) => void g.node(Ticker),
    clock,
    timeout: span.ms(20),
    ...options,
  });
  return { clock, dataflow, ticker: () => dataflow.node<Ticker>('ticker')! };
};

describe('a graph that is described before its run', () => {
  it('starts when it is run', async () => {
    const { clock, dataflow, ticker } = setup();
    expect(dataflow.describe().nodes).toMatchObject([{ name: 'ticker', tags: 0 }]);
    await clock.advanceAsync(500);
    const report = dataflow.run();
    await clock.advanceAsync(10);
    expect(ticker().dates).toEqual([1_500, 1_510]);
    expect(dataflow.recording().startedAtMs).toBe(1_500);
    ticker().sensor.close();
    await clock.advanceAsync(10);
    expect(await report).toMatchObject({ status: 'stopped' });
  });

  it('cannot be stopped before its run', async () => {
    const { dataflow, ticker } = setup();
    dataflow.describe();
    await expect(dataflow.requestShutdown()).rejects.toThrow(DataflowNotRunningError);
    await dataflow.forceStop('too early');
    expect([dataflow.state, ticker().hooks]).toEqual(['ready', 0]);
  });
});

describe('Dataflow.ended', () => {
  it('resolves with the report, for code that did not start the run', async () => {
    const { dataflow } = setup({ fast: true });
    expect(dataflow.report).toBeUndefined();
    const ended = dataflow.ended;
    const report = await dataflow.run();
    expect(await ended).toBe(report);
    expect(await dataflow.ended).toBe(report);
    expect(dataflow.report).toBe(report);
  });

  it('rejects like run() when the nodes cannot be created', async () => {
    const dataflow = new Dataflow({ graph: (g) => void g.node(Ticker) }, () => {
      throw new Error('no database');
    });
    await expect(dataflow.run()).rejects.toThrow('no database');
    await expect(dataflow.ended).rejects.toThrow('no database');
    expect([dataflow.state, dataflow.report]).toEqual(['ready', undefined]);
  });
});

describe('describe()', () => {
  it('never reports lag for a fast graph', async () => {
    const { clock, dataflow, ticker } = setup({ fast: true });
    const report = dataflow.run();
    ticker().sensor.schedule(1);
    await clock.advanceAsync(5_000);
    expect(dataflow.describe()).toMatchObject({ lagging: [], nodes: [{ lagMs: 0 }] });
    ticker().release();
    await report;
  });

  it('names the reaction that has not settled', async () => {
    const { clock, dataflow, ticker } = setup({ timeout: undefined });
    const report = dataflow.run();
    await clock.advanceAsync(0);
    ticker().sensor.schedule(1);
    expect(dataflow.describe().nodes[0]!.running).toBeUndefined();
    await clock.advanceAsync(1);
    expect(dataflow.describe().nodes[0]!.running).toBe('wait');
    ticker().release();
    await clock.advanceAsync(0);
    expect(dataflow.describe().nodes[0]!.running).toBeUndefined();
    await dataflow.requestShutdown();
    await report;
  });
});
