import {
  DataflowNode,
  Input,
  InputPort,
  type NodeContext,
  OnShutdown,
  OnStart,
  OnTimer,
  Output,
  OutputPort,
  PhysicalAction,
  Reaction,
  ReactionAbortedError,
  ReactionFailedError,
  span,
  StopForcedError,
} from '../index.js';
import { at, deferred, never, runAlone, setup } from './graph.fixture.js';

class WithHook {
  readonly hooks: unknown[] = [];
  @OnShutdown() end({ now }: NodeContext): void {
    this.hooks.push(now);
  }
}

/** Runs forever. */
@DataflowNode()
class Other extends WithHook {
  @OnTimer({ period: span.ms(1) }) tick(): void {}
}

/** Stays idle and never completes. */
@DataflowNode()
class Open extends WithHook {
  @PhysicalAction() door!: PhysicalAction;
}

const raise = (what: unknown): never => {
  throw what;
};

describe('a failing reaction', () => {
  it.each([
    ['throws an error', () => raise(new Error('broken')), 'broken'],
    ['throws a value that is not an error', () => raise('a string'), 'a string'],
    ['rejects', () => Promise.reject(new Error('broken later')), 'broken later'],
    ['rejects with a value that is not an error', async () => raise(undefined), 'undefined'],
  ])(
    'stops the graph by force and shuts down every node when it %s',
    async (_, fail: () => never | Promise<never>, text) => {
      @DataflowNode()
      class Fails extends WithHook {
        @OnTimer({ offset: span.ms(3) }) run(): void | Promise<void> {
          return fail();
        }
      }
      const { dataflow, clock } = setup((g) => {
        g.node(Fails);
        g.node(Other);
      });
      const report = await dataflow.run();
      expect(report).toMatchObject({ status: 'forced', exitCode: 1, stopTag: undefined });
      expect(report.error).toBeInstanceOf(ReactionFailedError);
      expect(report.error).toMatchObject({ node: 'fails', reaction: 'run', tag: at(span.ms(3)) });
      expect(report.error!.message).toContain(
        `fails.run() failed at (3 ms, 0): ${text}. The graph is stopped by force.`,
      );
      expect(dataflow.node<Fails>('fails')!.hooks).toEqual([at(span.ms(3))]);
      expect(dataflow.node<Other>('other')!.hooks).toEqual([at(span.ms(3))]);
      expect([dataflow.state, clock.pendingTimers]).toEqual(['stopped', 0]);
    },
  );

  it('keeps its error as the cause', async () => {
    const cause = new Error('broken');
    @DataflowNode()
    class Fails {
      @OnStart() run(): void {
        throw cause;
      }
    }
    expect((await runAlone(Fails)).report.error!.cause).toBe(cause);
  });

  it('ends the tag without running further reactions', async () => {
    const ran: string[] = [];
    @DataflowNode()
    class Fails {
      @Output() out!: OutputPort<number>;
      @OnStart() run(): void {
        this.out.set(1);
        throw new Error('broken');
      }
      @OnStart() then(): void {
        ran.push('then');
      }
    }
    @DataflowNode()
    class Sink {
      @Input() in!: InputPort<number>;
      @Reaction('in') take(): void {
        ran.push('take');
      }
    }
    const { dataflow } = setup((g) => g.connect(g.node(Fails).out, g.node(Sink).in));
    await dataflow.run();
    expect(ran).toEqual([]);
  });

  it('does not wait for another reaction that never settles, in any order', async () => {
    @DataflowNode()
    class Hangs {
      @OnStart() run(): Promise<void> {
        return never();
      }
    }
    @DataflowNode()
    class Fails {
      @OnStart() run(): void {
        throw new Error('broken');
      }
    }
    for (const types of [[Hangs, Fails] as const, [Fails, Hangs] as const]) {
      const { dataflow } = setup((g) => types.forEach((type) => g.node(type)));
      expect((await dataflow.run()).error!.message).toContain('fails.run() failed');
    }
  });

  it('determines the result when others fail after it', async () => {
    const gates = { a: deferred(), b: deferred() };
    @DataflowNode()
    class Fails {
      @OnStart() async run(ctx: NodeContext): Promise<void> {
        await gates[ctx.node as 'a' | 'b'].promise;
        ctx.fail(`it was ${ctx.node}`, ctx.node === 'a' ? 3 : 4);
      }
    }
    const { dataflow, settle } = setup((g) => {
      g.node(Fails, { name: 'a' });
      g.node(Fails, { name: 'b' });
    });
    const run = dataflow.run();
    await settle();
    gates.b.resolve();
    gates.a.resolve();
    expect(await run).toMatchObject({ exitCode: 4, error: { reason: 'it was b' } });
  });

  it('cannot write when it continues after the end', async () => {
    const gate = deferred();
    let late: unknown;
    @DataflowNode()
    class Slow {
      @Output() out!: OutputPort<number>;
      @OnStart() async run(): Promise<void> {
        await gate.promise;
        try {
          this.out.set(1);
        } catch (error) {
          late = error;
          throw error;
        }
      }
    }
    const { dataflow, settle } = setup((g) => g.node(Slow));
    const run = dataflow.run();
    await settle();
    await dataflow.forceStop('enough');
    const report = await run;
    gate.resolve();
    await settle();
    expect(late).toMatchObject({ code: 'DATAFLOW_OUTSIDE_TAG' });
    expect(report.error).toBeInstanceOf(StopForcedError);
  });
});

describe('forceStop', () => {
  it('ends the run immediately, with a reason and an exit code', async () => {
    const { dataflow, settle } = setup((g) => g.node(Open));
    const run = dataflow.run();
    await settle();
    await dataflow.forceStop('the deadline is over', 9);
    expect(await run).toMatchObject({ status: 'forced', exitCode: 9, stopTag: undefined });
    expect((await run).error!.message).toContain('The graph was stopped by force: the deadline is over.');
    expect(dataflow.node<Open>('open')!.hooks).toHaveLength(1);
  });

  it('runs shutdown methods once and keeps the first reason when called twice', async () => {
    const { dataflow, settle } = setup((g) => g.node(Open));
    const run = dataflow.run();
    await settle();
    await Promise.all([dataflow.forceStop('first', 5), dataflow.forceStop('second', 6)]);
    await dataflow.forceStop('third', 7);
    expect(await run).toMatchObject({ exitCode: 5, error: { reason: 'first' } });
    expect(dataflow.node<Open>('open')!.hooks).toHaveLength(1);
  });

  it('does nothing before the run and after the end', async () => {
    const { dataflow } = setup((g) => g.node(Other), { timeout: span.ms(1) });
    await dataflow.forceStop('too early');
    const report = await dataflow.run();
    await dataflow.forceStop('too late');
    expect([report.status, dataflow.state]).toEqual(['stopped', 'stopped']);
    expect(dataflow.node<Other>('other')!.hooks).toHaveLength(1);
  });

  it('abandons a reaction that never settles, and aborts its signal', async () => {
    let reason: unknown;
    @DataflowNode()
    class Hangs extends WithHook {
      @OnStart() run({ signal }: NodeContext): Promise<void> {
        signal.addEventListener('abort', () => void (reason = signal.reason));
        return never();
      }
    }
    const { dataflow, settle } = setup((g) => g.node(Hangs));
    const run = dataflow.run();
    await settle();
    await dataflow.forceStop('enough');
    expect((await run).status).toBe('forced');
    expect(reason).toBeInstanceOf(ReactionAbortedError);
    expect(dataflow.node<Hangs>('hangs')!.hooks).toHaveLength(1);
  });

  it('replaces a pending stop', async () => {
    const { dataflow, clock } = setup((g) => g.node(Other), { fast: false });
    const run = dataflow.run();
    await clock.advanceAsync(2);
    await dataflow.requestShutdown({ at: span.ms(500) });
    await dataflow.forceStop('cannot wait');
    expect(await run).toMatchObject({ status: 'forced', error: { reason: 'cannot wait' } });
    expect(clock.pendingTimers).toBe(0);
  });

  it('rejects all external input', async () => {
    const { dataflow } = setup((g) => g.node(Open));
    const run = dataflow.run();
    const forcing = dataflow.forceStop('enough');
    expect(dataflow.node<Open>('open')!.door.schedule()).toBe(false);
    await forcing;
    await run;
    expect(dataflow.node<Open>('open')!.door.schedule()).toBe(false);
  });
});

describe('an abort listener', () => {
  it('may fail again without changing the result', async () => {
    let heard = 0;
    @DataflowNode()
    class Listens extends WithHook {
      @PhysicalAction() door!: PhysicalAction;
      @OnStart() begin(ctx: NodeContext): void {
        ctx.signal.addEventListener('abort', () => {
          heard++;
          try {
            ctx.fail('again', 9);
          } catch {
            // The graph has already handled it.
          }
        });
      }
    }
    const { dataflow, settle } = setup((g) => g.node(Listens));
    const run = dataflow.run();
    await settle();
    await dataflow.forceStop('enough', 2);
    expect(await run).toMatchObject({ exitCode: 2, error: { reason: 'enough' } });
    expect([heard, dataflow.node<Listens>('listens')!.hooks.length]).toEqual([1, 1]);
  });
});
