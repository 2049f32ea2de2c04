import {
  DataflowNode,
  type NodeContext,
  OnShutdown,
  OnTimer,
  Output,
  OutputPort,
  PhysicalAction,
  span,
} from '../index.js';
import { deferred, never, outcomeOf, runAlone, setup } from './graph.fixture.js';

class WithHook {
  readonly hooks: unknown[] = [];
  @OnShutdown() end({ now }: NodeContext): void {
    this.hooks.push(now);
  }
}

/** Stays idle and never completes. */
@DataflowNode()
class Open extends WithHook {
  @PhysicalAction() door!: PhysicalAction;
}

describe('a shutdown method during a stop by force', () => {
  const forced = async (type: new () => object, options = {}) => {
    const fixture = setup((g) => {
      g.node(type, { name: 'subject' });
      g.node(Open);
    }, options);
    const run = fixture.dataflow.run();
    await fixture.settle();
    const forcing = fixture.dataflow.forceStop('enough');
    return { ...fixture, run, forcing };
  };

  it('is abandoned after forceTimeoutMs when it never settles', async () => {
    @DataflowNode()
    class Hangs {
      @OnShutdown() end(): Promise<void> {
        return never();
      }
    }
    const { clock, logger, run, forcing, settle } = await forced(Hangs, { forceTimeoutMs: 500 });
    const [outcome, forcingOutcome] = [outcomeOf(run), outcomeOf(forcing)];
    await clock.advanceAsync(499);
    expect([outcome.status, forcingOutcome.status]).toEqual(['pending', 'pending']);
    await clock.advanceAsync(1);
    await settle();
    expect([outcome.status, forcingOutcome.status]).toEqual(['resolved', 'resolved']);
    expect(logger.of('error')).toEqual([
      'error: the shutdown methods of some nodes did not finish within 500 ms. The stop by force continues without them',
    ]);
    expect(clock.pendingTimers).toBe(0);
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('also broken');
      },
    ],
    ['rejects', () => Promise.reject(new Error('also broken'))],
  ])('is logged when it %s, and the others still run', async (_, fail: () => never | Promise<never>) => {
    @DataflowNode()
    class Fails extends WithHook {
      @OnShutdown() first(): void | Promise<void> {
        return fail();
      }
      @OnShutdown() second(): void {
        this.hooks.push('second');
      }
    }
    const { dataflow, logger, run } = await forced(Fails);
    expect(await run).toMatchObject({ status: 'forced', error: { reason: 'enough' } });
    expect(logger.of('error')).toEqual([
      expect.stringMatching(
        /^error: subject\.first\(\) failed while the graph was stopped by force: Error: also broken\n/,
      ),
    ]);
    expect(dataflow.node<Fails>('subject')!.hooks).toHaveLength(2);
    expect(dataflow.node<Open>('open')!.hooks).toHaveLength(1);
  });

  it('is logged when it violates a rule, because there is no current tag', async () => {
    @DataflowNode()
    class Breaks {
      @Output() out!: OutputPort<number>;
      @OnShutdown({ writes: ['out'] }) end(): void {
        this.out.set(1);
      }
      @OnShutdown() again(ctx: NodeContext): void {
        ctx.fail('even so');
      }
    }
    const { logger, run } = await forced(Breaks);
    expect(await run).toMatchObject({ error: { reason: 'enough' } });
    expect(logger.of('error')).toEqual([
      expect.stringContaining('subject.end() failed while the graph was stopped by force: OutsideTagError'),
      expect.stringContaining('subject.again() failed while the graph was stopped by force: GraphFailedError'),
    ]);
  });

  it('causes a stop by force when it fails at the stop tag, and no other runs twice', async () => {
    const ran: string[] = [];
    @DataflowNode()
    class Ends {
      @OnShutdown() end({ node }: NodeContext): void {
        ran.push(node);
        if (node === 'b') throw new Error('broken');
      }
    }
    const { dataflow } = setup((g) => ['a', 'b', 'c'].forEach((name) => g.node(Ends, { name })));
    expect(await dataflow.run()).toMatchObject({ status: 'forced', error: { node: 'b', reaction: 'end' } });
    expect(ran).toEqual(['a', 'b', 'c']);
  });

  it('is waited for and not started again when it started at the stop tag', async () => {
    const gate = deferred();
    let begun = 0;
    let ended = 0;
    @DataflowNode()
    class Slow {
      @OnShutdown() async end(): Promise<void> {
        begun++;
        await gate.promise;
        ended++;
      }
    }
    const { dataflow, settle } = setup((g) => g.node(Slow));
    const run = dataflow.run();
    await settle();
    const forcing = outcomeOf(dataflow.forceStop('enough'));
    await settle();
    expect([begun, forcing.status]).toEqual([1, 'pending']);
    gate.resolve();
    expect((await run).status).toBe('forced');
    expect([begun, ended, forcing.status]).toEqual([1, 1, 'resolved']);
  });

  it('runs even if it also has other triggers', async () => {
    @DataflowNode()
    class Both {
      readonly ran: number[] = [];
      @OnShutdown()
      @OnTimer({ period: span.ms(1) })
      flush({ now }: NodeContext): void {
        this.ran.push(now.time / 1e6);
        if (now.time === span.toNs(span.ms(2))) throw new Error('broken');
      }
    }
    const { node } = await runAlone(Both);
    expect(node.ran).toEqual([0, 1, 2, 2]);
  });
});
