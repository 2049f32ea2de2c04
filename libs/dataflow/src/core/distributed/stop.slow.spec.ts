import {
  compareTags,
  Dataflow,
  DataflowNode,
  type GraphBuilder,
  Input,
  InputPort,
  type NodeContext,
  OnTimer,
  Reaction,
  span,
  type StopGrant,
  type StopRequest,
} from '../index.js';
import { deferred, outcomeOf } from '../run/graph.fixture.js';
import { agreed, Cluster, settle } from './cluster.fixture.js';
import { Counter, Doubler, Sink, Ticker } from './nodes.fixture.js';

type Policy = 'fail' | 'restart' | 'treatAsDone';

const endless =
  (onCrash: Policy = 'fail') =>
  (g: GraphBuilder): void => {
    const [ticker, doubler, sink] = [g.node(Ticker), g.node(Doubler, { onCrash }), g.node(Sink)];
    g.connect(ticker.out, doubler.in);
    g.connect(doubler.out, sink.left);
    g.connect(ticker.out, sink.right);
  };
const placement = { processes: { a: ['ticker'], b: ['doubler'], c: ['sink'] } };
const options = { window: 4 };

const finite = (g: GraphBuilder): void => {
  const [counter, sink] = [g.node(Counter), g.node(Sink)];
  g.connect(counter.out, sink.left);
};
const apart = { processes: { a: ['counter'], c: ['sink'] } };

const reached = (cluster: Cluster, count: number) => (): boolean => cluster.node<Sink>('sink').seen.length >= count;

/** Checks that nothing was handled after the stop tag, and that every node was shut down there. */
const expectStop = (cluster: Cluster, stopTag: { time: number; microstep: number }): void => {
  const { seen, shutdowns } = cluster.node<Sink>('sink');
  expect(shutdowns).toBe(1);
  const [time, microstep] = seen.at(-1)!;
  expect(compareTags({ time, microstep }, stopTag)).toBeLessThanOrEqual(0);
  for (const [, , left, right] of seen) expect(left).toBe(right! * 2);
};

describe('a stop as soon as possible', () => {
  it('is at one tag in all processes, for any number of requests from any process', async () => {
    for (let seed = 1; seed <= 30; seed++) {
      const cluster = Cluster.started({ graph: endless(), placement, seed, options });
      await cluster.until(reached(cluster, 1 + (seed % 7)));
      const asked: Promise<StopGrant>[] = [];
      while (!cluster.isOver) {
        const one = cluster.alive[Math.floor(cluster.random() * 4)]!;
        const mayAsk = asked.length === 0 || (asked.length < 5 && cluster.random() < 0.3);
        if (mayAsk && one.dataflow.state !== 'stopped') asked.push(one.dataflow.requestShutdown());
        await cluster.step();
      }
      const { status, stopTag, exitCode } = agreed(await cluster.run());
      expect({ seed, status, exitCode }).toEqual({ seed, status: 'stopped', exitCode: 0 });
      for (const grant of await Promise.all(asked)) expect(grant.stopTag).toEqual(stopTag);
      expectStop(cluster, stopTag!);
    }
  });

  it('changes nothing when the run is about to complete', async () => {
    for (let seed = 1; seed <= 20; seed++) {
      const cluster = Cluster.started({ graph: finite, placement: apart, seed });
      await cluster.until(reached(cluster, Counter.LAST - (seed % 2)));
      for (const { dataflow } of cluster.alive) void dataflow.requestShutdown();
      const { status, stopTag, exitCode } = agreed(await cluster.run());
      expect({ seed, exitCode }).toEqual({ seed, exitCode: 0 });
      expect(['completed', 'stopped']).toContain(status);
      expect(stopTag!.time).toBeGreaterThanOrEqual(span.toNs(span.ms(13)));
    }
  });

  it('does not wait for the negotiation of a planned stop, and is not answered by it', async () => {
    for (let seed = 1; seed <= 20; seed++) {
      const cluster = Cluster.started({ graph: endless(), placement, seed, options });
      await cluster.until(reached(cluster, 2));
      const later = cluster.get('a').dataflow.requestShutdown({ at: span.seconds(100) });
      for (let at = 0; at < seed; at++) await cluster.step();
      const now = cluster.get('c').dataflow.requestShutdown();
      const { status, stopTag } = agreed(await cluster.run());
      expect(status).toBe('stopped');
      expect(stopTag!.time).toBeLessThan(span.toNs(span.ms(200)));
      expect((await now).stopTag).toEqual(stopTag);
      expect([stopTag, { time: span.seconds(100), microstep: 0 }]).toContainEqual((await later).stopTag);
    }
  });

  it('replaces a planned stop, even if there is nothing else to wait for', async () => {
    @DataflowNode()
    class Rare {
      @OnTimer({ offset: span.hours(2) })
      tick(): void {}
    }
    const graph = (g: GraphBuilder): void => {
      g.node(Rare);
      g.node(Sink);
    };
    const cluster = Cluster.started({
      graph,
      placement: { processes: { a: ['rare'], c: ['sink'] } },
      options: { timeout: span.hours(1), fast: false },
    });
    await cluster.runFor(1_000);
    void cluster.get('c').dataflow.requestShutdown();
    const { status, stopTag } = agreed(await cluster.run());
    expect(status).toBe('stopped');
    expect(stopTag!.time).toBeLessThan(span.toNs(span.seconds(1)));
  });

  it('ends the run immediately and without an error when it is requested before the start', async () => {
    for (const asker of ['a', 'coordinator']) {
      const cluster = new Cluster({ graph: endless(), placement });
      for (const name of ['a', 'b', 'coordinator']) cluster.start(name);
      await cluster.runFor(500);
      const grant = cluster.get(asker).dataflow.requestShutdown();
      const before = cluster.nowMs;
      const { status, exitCode, stopTag, nodes } = agreed(await cluster.run());
      expect({ status, exitCode, stopTag, nodes }).toEqual({
        status: 'stopped',
        exitCode: 0,
        stopTag: undefined,
        nodes: {},
      });
      expect(cluster.nowMs - before).toBeLessThan(1_500);
      expect(await grant).toMatchObject({ stopTag: { time: 0, microstep: 0 } });
    }
  });

  it('ends a process immediately when it has found no peer', async () => {
    const cluster = new Cluster({ graph: endless(), placement });
    const alone = cluster.start('a');
    await cluster.runFor(500);
    void alone.dataflow.requestShutdown();
    expect((await cluster.run())['a']).toMatchObject({ status: 'stopped', exitCode: 0, error: undefined });
    expect(cluster.nowMs).toBeLessThan(1_001_600);
  });

  it('ends a process immediately at any moment of its start', async () => {
    for (let moments = 0; moments < 30; moments++) {
      const cluster = new Cluster({ graph: endless(), placement });
      const { dataflow } = cluster.start('a');
      for (let at = 0; at < moments; at++) await Promise.resolve();
      void dataflow.requestShutdown();
      expect((await cluster.run())['a']).toMatchObject({ status: 'stopped', exitCode: 0, error: undefined });
    }
  });

  it('ends a process immediately when its links are not open yet', async () => {
    const cluster = new Cluster({ graph: endless(), placement });
    const opening = deferred();
    const { network } = cluster;
    const transport = {
      open: (...args: Parameters<typeof network.open>) => opening.promise.then(() => network.open(...args)),
    };
    for (const name of ['a', 'coordinator']) {
      const alone = cluster.start(name, { transport });
      await settle();
      void alone.dataflow.requestShutdown();
    }
    const reports = await cluster.run();
    expect(reports['a']).toMatchObject({ status: 'stopped', exitCode: 0 });
    expect(reports['coordinator']).toMatchObject({ status: 'stopped', exitCode: 0 });
    opening.resolve();
    await settle();
    // An endpoint that opened too late was closed. An open link would be pending.
    expect(network.pending).toEqual([]);
    expect(cluster.alive.map(({ clock }) => clock.pendingTimers)).toEqual([0, 0]);
  });

  it('is reported to processes that join later, while the coordinator still runs', async () => {
    const cluster = new Cluster({ graph: endless(), placement });
    for (const name of ['a', 'coordinator']) cluster.start(name);
    await cluster.runFor(500);
    cluster.network.cut('a', 'coordinator');
    void cluster.get('coordinator').dataflow.requestShutdown();
    await cluster.runFor(1_000);
    cluster.start('b');
    await cluster.until(() => cluster.get('b').report !== undefined);
    expect(cluster.get('b').report).toMatchObject({ status: 'stopped', exitCode: 0 });
    cluster.network.heal('a', 'coordinator');
    agreed(await cluster.run());
  });

  it('is answered even if it is requested at the very end', async () => {
    const cluster = Cluster.started({ graph: finite, placement: apart, seed: 3 });
    cluster.network.cut('a', 'c');
    cluster.network.heal('a', 'c');
    await cluster.until(() => cluster.alive.some(({ report }) => report !== undefined));
    const last = cluster.alive.find(({ report }) => report === undefined)!;
    const answer = outcomeOf(last.dataflow.requestShutdown());
    const { stopTag } = agreed(await cluster.run());
    await settle();
    expect(answer).toMatchObject({ status: 'resolved', value: { stopTag } });
  });
});

describe('a planned stop', () => {
  const request = async (seed: number, stop: StopRequest): Promise<{ cluster: Cluster; grant: StopGrant }> => {
    const cluster = Cluster.started({ graph: endless(), placement, seed, options });
    await cluster.until(reached(cluster, 3));
    const asked = cluster.alive[seed % 4]!.dataflow.requestShutdown(stop);
    const { status, stopTag } = agreed(await cluster.run());
    const grant = await asked;
    expect({ status, stopTag }).toEqual({ status: 'stopped', stopTag: grant.stopTag });
    expectStop(cluster, grant.stopTag);
    return { cluster, grant };
  };

  it('is at the requested tag', async () => {
    for (let seed = 1; seed <= 8; seed++) {
      const { grant } = await request(seed, { at: span.ms(60) });
      expect(grant).toEqual({ stopTag: { time: span.ms(60), microstep: 0 }, asAsked: true });
    }
  });

  it('is as soon as possible when the requested tag has passed, and reports that', async () => {
    for (let seed = 1; seed <= 8; seed++) {
      const { grant } = await request(seed, { at: span.ms(1) });
      expect(grant.asAsked).toBe(false);
      expect(grant.stopTag.time).toBeGreaterThanOrEqual(span.toNs(span.ms(2)));
    }
  });

  it('is the earliest of all requests, in any order of arrival', async () => {
    @DataflowNode()
    class Wisher {
      @Input() in!: InputPort<number>;

      @Reaction('in')
      wish({ requestShutdown, node }: NodeContext): void {
        const number = Number(node.slice(1));
        if (this.in.value === 2 + number) requestShutdown({ at: span.ms(90 - 10 * number) });
      }
    }
    const graph = (g: GraphBuilder): void => {
      const ticker = g.node(Ticker);
      for (const name of ['w1', 'w2', 'w3']) g.connect(ticker.out, g.node(Wisher, { name }).in);
    };
    const alone = await new Dataflow({ graph, fast: true }).run();
    expect(alone.stopTag).toEqual({ time: span.ms(60), microstep: 0 });
    for (let seed = 1; seed <= 25; seed++) {
      const processes = { a: ['ticker'], b: ['w1'], c: ['w2'], d: ['w3'] };
      const cluster = Cluster.started({ graph, placement: { processes }, seed, options });
      const { stopTag, digest } = agreed(await cluster.run());
      expect({ seed, stopTag, digest }).toEqual({ seed, stopTag: alone.stopTag, digest: alone.digest });
    }
  });

  it('does not keep the run from completing earlier, whenever it is requested', async () => {
    const alone = await new Dataflow({ graph: finite, fast: true }).run();
    for (let seed = 1; seed <= 30; seed++) {
      const cluster = Cluster.started({ graph: finite, placement: apart, seed, options });
      await cluster.until(reached(cluster, 1 + (seed % Counter.LAST)));
      void cluster.get('c').dataflow.requestShutdown({ at: span.seconds(100) });
      const { status, stopTag, digest } = agreed(await cluster.run());
      const { status: s, stopTag: t, digest: d } = alone;
      expect({ seed, status, stopTag, digest }).toEqual({ seed, status: s, stopTag: t, digest: d });
    }
  });

  it('can be requested before the start', async () => {
    for (const asker of ['a', 'coordinator']) {
      const cluster = new Cluster({ graph: endless(), placement, options });
      const grant = cluster.start(asker).dataflow.requestShutdown({ at: span.ms(30) });
      for (const name of cluster.names) if (name !== asker) cluster.start(name);
      const { status, stopTag } = agreed(await cluster.run());
      expect({ status, stopTag }).toEqual({ status: 'stopped', stopTag: { time: span.ms(30), microstep: 0 } });
      expect(await grant).toEqual({ stopTag, asAsked: true });
    }
  });

  it('is later than the tag of the requester', async () => {
    const { grant } = await request(2, { after: span.ms(40) });
    expect(grant.asAsked).toBe(true);
    expect(grant.stopTag.time).toBeGreaterThanOrEqual(span.toNs(span.ms(42)));
  });
});

describe('a stop negotiation', () => {
  const during = async (onCrash: Policy, agreeTimeoutMs: number): Promise<Cluster> => {
    const cluster = Cluster.started({
      graph: endless(onCrash),
      placement,
      seed: 3,
      options: { ...options, agreeTimeoutMs },
    });
    await cluster.until(reached(cluster, 5));
    return cluster;
  };

  it('ends in a stop by force when it takes too long, with an error that names the nodes without an answer', async () => {
    const cluster = await during('fail', 2_000);
    cluster.freeze('b');
    void cluster.get('a').dataflow.requestShutdown();
    const askedAt = cluster.nowMs;
    await cluster.until(() => cluster.get('c').report !== undefined);
    expect(cluster.nowMs - askedAt).toBeLessThan(6_000);
    const { error, exitCode } = cluster.get('c').report!;
    expect(exitCode).toBe(1);
    expect(error).toMatchObject({ code: 'DATAFLOW_STOP_UNANSWERED' });
    expect(error!.message).toContain('No answer to the stop proposal after 2 s from doubler');
    cluster.thaw('b');
    expect((await cluster.run())['b']).toMatchObject({ status: 'forced' });
  });

  it('continues without processes that are lost during it', async () => {
    const cluster = await during('treatAsDone', 60_000);
    cluster.kill('b');
    void cluster.get('a').dataflow.requestShutdown();
    expect(agreed(await cluster.run())).toMatchObject({ status: 'stopped', exitCode: 0 });
    expect(cluster.node<Sink>('sink').shutdowns).toBe(1);
  });

  it('waits for processes that are restarted during it', async () => {
    for (const request of [{}, { at: span.ms(50) }]) {
      const cluster = await during('restart', 60_000);
      const asked = cluster.get('a').dataflow.requestShutdown(request);
      cluster.kill('b');
      await cluster.runFor(10_000);
      expect(cluster.isOver).toBe(false);
      cluster.start('b');
      const { status, stopTag } = agreed(await cluster.run());
      expect({ status, stopTag }).toEqual({ status: 'stopped', stopTag: (await asked).stopTag });
      expectStop(cluster, stopTag!);
    }
  });

  it('is repeated for processes that are restarted after it', async () => {
    const cluster = await during('restart', 60_000);
    const granted = outcomeOf(cluster.get('a').dataflow.requestShutdown({ at: span.ms(200) }));
    await cluster.until(() => granted.status === 'resolved');
    cluster.kill('b');
    cluster.start('b');
    const { status, stopTag } = agreed(await cluster.run());
    expect({ status, stopTag }).toEqual({ status: 'stopped', stopTag: { time: span.ms(200), microstep: 0 } });
    expectStop(cluster, stopTag!);
  });
});
