import { ManualClock } from '@roost/time/testing';
import { DataflowNode, type DataflowOptions, GraphFailedError, type NodeContext, OnTimer, span } from '../index.js';
import { at, runAlone, setup } from '../run/graph.fixture.js';

@DataflowNode()
class Curious {
  readonly numbers: number[] = [];
  readonly ids: string[] = [];
  readonly dates: string[] = [];
  context: NodeContext | undefined;

  @OnTimer({ offset: span.ms(1), period: span.ms(1.5) })
  ask(ctx: NodeContext): void {
    this.context = ctx;
    this.numbers.push(ctx.random());
    this.ids.push(ctx.id());
    this.dates.push(ctx.date.toISOString());
  }
}

const ask = async (names: readonly string[], options: Partial<DataflowOptions> = {}) => {
  const { dataflow } = setup((g) => names.forEach((name) => g.node(Curious, { name })), {
    timeout: span.ms(4),
    ...options,
  });
  await dataflow.run();
  return names.map((name) => dataflow.node<Curious>(name)!);
};

describe('NodeContext', () => {
  it('gives each node its own numbers and ids, the same in every run with the same seed', async () => {
    const [a, b] = await ask(['a', 'b']);
    const [b2, a2] = await ask(['b', 'a']);
    expect([a!.numbers, a!.ids, b!.numbers, b!.ids]).toEqual([a2!.numbers, a2!.ids, b2!.numbers, b2!.ids]);
    expect(new Set([...a!.numbers, ...b!.numbers]).size).toBe(6);
    expect(new Set([...a!.ids, ...b!.ids]).size).toBe(6);
    const [other] = await ask(['a'], { seed: 'another' });
    expect(other!.numbers).not.toEqual(a!.numbers);
  });

  it('has dates that follow logical time, not the clock', async () => {
    const clock = new ManualClock({ now: Date.UTC(2026, 0, 1) });
    const [node] = await ask(['a'], { clock });
    expect(node!.dates).toEqual(['2026-01-01T00:00:00.001Z', '2026-01-01T00:00:00.002Z', '2026-01-01T00:00:00.004Z']);
  });

  it('has the name, the tag and a signal that is not aborted', async () => {
    const [node] = await ask(['a']);
    expect(node!.context).toMatchObject({ node: 'a', now: at(span.ms(4)), signal: { aborted: false } });
  });
});

describe('ctx.logger', () => {
  it('writes lines with the node, the tag and the clock', async () => {
    const clock = new ManualClock();
    @DataflowNode()
    class Talks {
      @OnTimer({ offset: span.ms(5) }) talk({ logger }: NodeContext): void {
        clock.advance(1.25);
        logger.log('hello');
        logger.warn('careful');
        logger.error('oh');
      }
    }
    const { logger } = await runAlone(Talks, { clock });
    expect(logger.lines).toEqual([
      'log: [alone] (5 ms, 0) at 1.25 ms: hello',
      'warn: [alone] (5 ms, 0) at 1.25 ms: careful',
      'error: [alone] (5 ms, 0) at 1.25 ms: oh',
    ]);
  });

  it('does not fail a reaction when the logger fails', async () => {
    const broken = () => {
      throw new Error('disk full');
    };
    @DataflowNode()
    class Talks {
      @OnTimer() talk({ logger }: NodeContext): void {
        logger.log('hello');
        logger.warn('hello');
        logger.error('hello');
      }
    }
    const { report } = await runAlone(Talks, { logger: { log: broken, warn: broken, error: broken }, trace: true });
    expect(report.status).toBe('completed');
  });
});

describe('ctx.fail', () => {
  it.each([
    [undefined, 1],
    [7, 7],
    [255, 255],
    [0, 1],
    [256, 1],
    [1.5, 1],
    [-3, 1],
  ])('with the code %p ends the run with exit code %d', async (given, exitCode) => {
    let hasGoneOn = false;
    @DataflowNode()
    class Fails {
      @OnTimer({ offset: span.ms(3) }) run(ctx: NodeContext): void {
        ctx.fail('no licence', given);
        hasGoneOn = true;
      }
    }
    const { report } = await runAlone(Fails);
    expect(report).toMatchObject({ status: 'forced', exitCode, error: { reason: 'no licence' } });
    expect(report.error).toBeInstanceOf(GraphFailedError);
    expect(report.error!.message).toContain('Node "alone" stopped the graph with exit code');
    expect(hasGoneOn).toBe(false);
  });
});
