import { Dataflow, DataflowNode, OnStart, OnTimer, span } from '../index.js';
import { setup } from './graph.fixture.js';

@DataflowNode()
class Ticker {
  starts = 0;
  @OnStart() begin(): void {
    this.starts++;
  }
  @OnTimer({ period: span.ms(1) }) tick(): void {}
}

describe('Dataflow', () => {
  it('runs once, no matter how often run() is called', async () => {
    const { dataflow } = setup((g) => g.node(Ticker), { timeout: span.ms(2) });
    expect([dataflow.state, dataflow.report]).toEqual(['ready', undefined]);
    const first = dataflow.run();
    expect(dataflow.run()).toBe(first);
    const report = await first;
    expect(await dataflow.run()).toBe(report);
    expect(await dataflow.ended).toBe(report);
    expect([dataflow.state, dataflow.report, dataflow.node<Ticker>('ticker')!.starts]).toEqual(['stopped', report, 1]);
  });

  it('creates its nodes in run()', async () => {
    const { dataflow } = setup((g) => g.node(Ticker), { timeout: span.ms(2) });
    expect(dataflow.node('ticker')).toBeUndefined();
    const run = dataflow.run();
    expect(dataflow.node('ticker')).toBeInstanceOf(Ticker);
    expect(dataflow.node('nobody')).toBeUndefined();
    await run;
  });

  it('creates its nodes with the given factory', async () => {
    const made: string[] = [];
    const { dataflow } = setup((g) => {
      g.node(Ticker, { name: 'one' });
      g.node(Ticker, { name: 'two' });
    });
    const other = new Dataflow({ ...dataflow.options, timeout: span.ms(1) }, (type, name) => {
      made.push(`${type.name} ${name}`);
      return new Ticker();
    });
    await other.run();
    expect(made).toEqual(['Ticker one', 'Ticker two']);
  });

  it('rejects run() when a node cannot be created', async () => {
    const dataflow = new Dataflow({ graph: (g) => g.node(Ticker) }, () => {
      throw new Error('no database');
    });
    await expect(dataflow.run()).rejects.toThrow('no database');
    await expect(dataflow.run()).rejects.toThrow('no database');
    await expect(dataflow.requestShutdown()).rejects.toThrow('is not running yet');
    await dataflow.forceStop('nothing to stop');
  });

  it('can run several times in one process', async () => {
    const make = () => setup((g) => g.node(Ticker), { timeout: span.ms(2) }).dataflow;
    const [one, other] = [make(), make()];
    const [a, b] = await Promise.all([one.run(), other.run()]);
    expect(a).toEqual(b);
    expect(one.node('ticker')).not.toBe(other.node('ticker'));
  });
});
