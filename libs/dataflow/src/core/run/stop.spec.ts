import {
  DataflowNode,
  DataflowNotRunningError,
  type DataflowOptions,
  InvalidDataflowOptionError,
  type NodeContext,
  OnShutdown,
  OnStart,
  OnTimer,
  Output,
  OutputPort,
  PhysicalAction,
  span,
  type StopRequest,
} from '../index.js';
import { at, deferred, runAlone, setup } from './graph.fixture.js';

@DataflowNode()
class Ticker {
  @Output() out!: OutputPort<number>;
  readonly ticks: number[] = [];
  readonly stops: unknown[] = [];

  @OnTimer({ period: span.ms(1) })
  tick({ now }: NodeContext): void {
    this.ticks.push(now.time / 1e6);
    this.out.set(now.time);
  }

  @OnShutdown()
  end({ now }: NodeContext): void {
    this.stops.push(now);
  }
}

@DataflowNode()
class Waiting {
  @PhysicalAction() word!: PhysicalAction<string>;
}

const ticking = (options: Partial<DataflowOptions> = {}) => {
  const fixture = setup((g) => g.node(Ticker), { fast: false, ...options });
  const run = fixture.dataflow.run();
  return { ...fixture, run, ticker: fixture.dataflow.node<Ticker>('ticker')! };
};

describe('a stop', () => {
  it('handles everything up to its tag and nothing after it, shutdown last', async () => {
    const { clock, dataflow, run, ticker } = ticking();
    await clock.advanceAsync(2);
    expect(await dataflow.requestShutdown({ at: span.ms(5) })).toEqual({ stopTag: at(span.ms(5)), asAsked: true });
    await clock.advanceAsync(10);
    expect(await run).toMatchObject({ status: 'stopped', exitCode: 0, stopTag: at(span.ms(5)), error: undefined });
    expect(ticker.ticks).toEqual([0, 1, 2, 3, 4, 5]);
    expect(ticker.stops).toEqual([at(span.ms(5))]);
  });

  it.each<[string, StopRequest | undefined, ReturnType<typeof at>]>([
    ['without options', undefined, at(span.ms(2), 1)],
    ['with a delay of 0', { after: span.ns(0) }, at(span.ms(2), 1)],
    ['with a delay', { after: span.ms(1.5) }, at(span.ms(3.5))],
    ['with a time', { at: span.ms(4) }, at(span.ms(4))],
    ['with a tag', { at: at(span.ms(4), 7) }, at(span.ms(4), 7)],
    ['with a time that has passed', { at: span.ms(1) }, at(span.ms(2), 1)],
    ['with the tag that was just handled', { at: at(span.ms(2)) }, at(span.ms(2), 1)],
  ])('requested from outside %s gets the right tag', async (_, request, stopTag) => {
    const { clock, dataflow, run } = ticking();
    await clock.advanceAsync(2);
    const isPast = request?.at === span.ms(1) || (request?.at as { time?: number })?.time === span.toNs(span.ms(2));
    expect(await dataflow.requestShutdown(request)).toEqual({ stopTag, asAsked: !isPast });
    await clock.advanceAsync(10);
    expect(await run).toMatchObject({ status: 'stopped', stopTag });
  });

  it.each<[string, StopRequest | undefined, ReturnType<typeof at>]>([
    ['without options', undefined, at(span.ms(2), 1)],
    ['with a delay', { after: span.ms(3) }, at(span.ms(5))],
    ['with a time', { at: span.ms(4) }, at(span.ms(4))],
    ['with its own tag, which is too early', { at: span.ms(2) }, at(span.ms(2), 1)],
  ])('requested by a node %s gets the right tag', async (_, request, stopTag) => {
    @DataflowNode()
    class Asks extends Ticker {
      @OnTimer({ offset: span.ms(2) }) ask(ctx: NodeContext): void {
        ctx.requestShutdown(request);
      }
    }
    const { report } = await runAlone(Asks);
    expect(report).toMatchObject({ status: 'stopped', stopTag });
  });

  it('is the earliest of all requests, in any order', async () => {
    const { clock, dataflow, run } = ticking();
    const asked = [{ at: span.ms(7) }, { at: span.ms(3) }, { at: span.ms(5) }].map((request) =>
      dataflow.requestShutdown(request),
    );
    expect(await Promise.all(asked)).toEqual([
      { stopTag: at(span.ms(7)), asAsked: true },
      { stopTag: at(span.ms(3)), asAsked: true },
      { stopTag: at(span.ms(3)), asAsked: false },
    ]);
    await clock.advanceAsync(10);
    expect(await run).toMatchObject({ stopTag: at(span.ms(3)) });
  });

  it('can be moved forward while the run waits for it', async () => {
    @DataflowNode()
    class Sparse {
      stops: unknown[] = [];
      @OnTimer({ period: span.ms(100) }) tick(): void {}
      @OnShutdown() end({ now }: NodeContext): void {
        this.stops.push(now);
      }
    }
    const { clock, dataflow } = setup((g) => g.node(Sparse), { fast: false });
    const run = dataflow.run();
    await clock.advanceAsync(1);
    await dataflow.requestShutdown({ at: span.ms(50) });
    await clock.advanceAsync(1);
    await dataflow.requestShutdown({ at: span.ms(20) });
    await clock.advanceAsync(1);
    expect((await dataflow.requestShutdown({ at: span.ms(60) })).stopTag).toEqual(at(span.ms(20)));
    await clock.advanceAsync(20);
    expect(await run).toMatchObject({ status: 'stopped', stopTag: at(span.ms(20)) });
    expect(dataflow.node<Sparse>('sparse')!.stops).toEqual([at(span.ms(20))]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('happens once when requested twice', async () => {
    const { dataflow, run, ticker, settle } = ticking();
    await settle();
    const [one, two] = await Promise.all([dataflow.requestShutdown(), dataflow.requestShutdown()]);
    expect(one).toEqual(two);
    await run;
    expect(ticker.stops).toHaveLength(1);
  });

  it('does not change when requested at shutdown', async () => {
    @DataflowNode()
    class Insists {
      @OnTimer({ period: span.ms(1) }) tick(): void {}
      @OnShutdown() end(ctx: NodeContext): void {
        ctx.requestShutdown();
        ctx.requestShutdown({ after: span.ms(5) });
      }
    }
    const { report } = await runAlone(Insists, { timeout: span.ms(3) });
    expect(report).toMatchObject({ status: 'stopped', stopTag: at(span.ms(3)) });
  });

  it('is the current one when requested while shutdown methods run', async () => {
    const gate = deferred();
    @DataflowNode()
    class Slow {
      @OnTimer({ period: span.ms(1) }) tick(): void {}
      @OnShutdown() end(): Promise<void> {
        return gate.promise;
      }
    }
    const { dataflow, settle } = setup((g) => g.node(Slow), { timeout: span.ms(3) });
    const run = dataflow.run();
    await settle();
    expect(await dataflow.requestShutdown()).toEqual({ stopTag: at(span.ms(3)), asAsked: false });
    expect(await dataflow.requestShutdown({ at: span.ms(3) })).toEqual({ stopTag: at(span.ms(3)), asAsked: true });
    gate.resolve();
    expect(await run).toMatchObject({ status: 'stopped', stopTag: at(span.ms(3)) });
  });

  it('is the completion when requested as the graph completes', async () => {
    @DataflowNode()
    class Brief {
      @OnStart() begin(): void {}
    }
    const { dataflow } = setup((g) => g.node(Brief));
    const run = dataflow.run();
    const grant = await dataflow.requestShutdown({ at: span.ms(5) });
    const report = await run;
    expect(report).toMatchObject({ status: 'completed', stopTag: at(0, 1) });
    expect(grant).toEqual({ stopTag: at(0, 1), asAsked: false });
  });

  it('is rejected before the run and after the end', async () => {
    const { dataflow } = setup((g) => g.node(Ticker), { timeout: span.ms(1) });
    await expect(dataflow.requestShutdown()).rejects.toThrow(DataflowNotRunningError);
    await expect(dataflow.requestShutdown()).rejects.toThrow('was called too early');
    await dataflow.run();
    await expect(dataflow.requestShutdown()).rejects.toThrow('was called too late');
    expect(dataflow.state).toBe('stopped');
  });

  it('requested from outside counts from now, even after a long idle time', async () => {
    const { dataflow, clock, settle } = setup((g) => g.node(Waiting), { fast: false });
    const run = dataflow.run();
    await settle();
    await clock.advanceAsync(100_000);
    expect(await dataflow.requestShutdown({ after: span.seconds(5) })).toEqual({
      stopTag: at(span.seconds(105)),
      asAsked: true,
    });
    await clock.advanceAsync(4_999);
    expect(dataflow.state).toBe('running');
    await clock.advanceAsync(1);
    expect(await run).toMatchObject({ status: 'stopped', stopTag: at(span.seconds(105)) });
  });

  it('requested right after run() may be at the first tag', async () => {
    @DataflowNode()
    class Waits extends Ticker {
      @PhysicalAction() door!: PhysicalAction;
      @OnStart() begin(): Promise<void> {
        return Promise.resolve();
      }
    }
    const { dataflow } = setup((g) => g.node(Waits));
    const run = dataflow.run();
    const grant = await dataflow.requestShutdown();
    expect((await run).stopTag).toEqual(grant.stopTag);
    expect(grant.stopTag).toEqual(at(0, 1));
  });

  it('wakes an idle graph when requested by detached work of a node', async () => {
    const later = deferred();
    @DataflowNode()
    class Detached {
      @PhysicalAction() door!: PhysicalAction;
      @OnStart() begin(ctx: NodeContext): void {
        void later.promise.then(() => ctx.requestShutdown());
      }
    }
    const { dataflow, settle } = setup((g) => g.node(Detached));
    const run = dataflow.run();
    await settle();
    later.resolve();
    expect(await run).toMatchObject({ status: 'stopped', stopTag: at(0, 1) });
  });

  it.each<[unknown]>([
    [{ at: span.ms(1), after: span.ms(1) }],
    [{ at: -1 }],
    [{ at: 1.5 }],
    [{ at: null }],
    [{ at: 'now' }],
    [{ at: { time: 1 } }],
    [{ at: { time: NaN, microstep: 0 } }],
    [{ after: -1 }],
    [{ after: Infinity }],
    [{ after: '5' }],
  ])('rejects %j, and the run continues', async (request) => {
    const { clock, dataflow, run } = ticking({ timeout: span.ms(3) });
    await expect(dataflow.requestShutdown(request as StopRequest)).rejects.toThrow(InvalidDataflowOptionError);
    expect(dataflow.state).toBe('running');
    await clock.advanceAsync(5);
    expect(await run).toMatchObject({ status: 'stopped', stopTag: at(span.ms(3)) });
  });

  it('sets the state to stopping until the end', async () => {
    const { clock, dataflow, run, settle } = ticking();
    await settle();
    expect(dataflow.state).toBe('running');
    void dataflow.requestShutdown({ at: span.ms(3) });
    expect(dataflow.state).toBe('running');
    void dataflow.requestShutdown();
    expect(dataflow.state).toBe('stopping');
    await clock.advanceAsync(1);
    await run;
    expect(dataflow.state).toBe('stopped');
  });
});

describe('timeout', () => {
  it('stops a graph at its time', async () => {
    const { report, node } = await runAlone(Ticker, { timeout: span.ms(3) });
    expect(report).toMatchObject({ status: 'stopped', stopTag: at(span.ms(3)) });
    expect(node.ticks).toEqual([0, 1, 2, 3]);
  });

  it('of 0 gives a single tag with start and shutdown', async () => {
    const { report, node } = await runAlone(Ticker, { timeout: span.ns(0) });
    expect(report).toMatchObject({ status: 'stopped', stopTag: at(0) });
    expect([node.ticks, node.stops]).toEqual([[0], [at(0)]]);
  });

  it('does not delay the completion of a graph', async () => {
    @DataflowNode()
    class Brief {
      @OnStart() begin(): void {}
    }
    expect((await runAlone(Brief, { timeout: span.ms(3), fast: false })).report).toMatchObject({
      status: 'completed',
      stopTag: at(0, 1),
    });
  });

  it('stops a graph that waits for external input, on time', async () => {
    @DataflowNode()
    class Waits {
      @PhysicalAction() door!: PhysicalAction;
    }
    const { clock, dataflow } = setup((g) => g.node(Waits), { fast: false, timeout: span.ms(30) });
    const run = dataflow.run();
    await clock.advanceAsync(29);
    expect(dataflow.state).toBe('running');
    await clock.advanceAsync(1);
    expect(await run).toMatchObject({ status: 'stopped', stopTag: at(span.ms(30)) });
    expect((await runAlone(Waits, { timeout: span.ms(30) })).report).toMatchObject({ stopTag: at(span.ms(30)) });
  });

  it('is moved forward by a request', async () => {
    const { clock, dataflow, run } = ticking({ timeout: span.ms(30) });
    await clock.advanceAsync(5);
    expect(await dataflow.requestShutdown({ at: span.ms(40) })).toEqual({ stopTag: at(span.ms(30)), asAsked: false });
    await dataflow.requestShutdown();
    expect(await run).toMatchObject({ stopTag: at(span.ms(5), 1) });
  });
});
