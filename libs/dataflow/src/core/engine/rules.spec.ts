import { UndeclaredAccessError } from '../errors/undeclared-access.error.js';
import { OutsideTagError } from '../errors/outside-tag.error.js';
import { DoubleWriteError } from '../errors/double-write.error.js';
import {
  type DataflowError,
  DataflowNode,
  Input,
  InputPort,
  LogicalAction,
  type NodeContext,
  OnShutdown,
  OnTimer,
  Output,
  OutputPort,
  PhysicalAction,
  span,
  UnserialisablePayloadError,
} from '../index.js';
import { at, runAlone, setup } from '../run/graph.fixture.js';

describe('a rule violation', () => {
  class Ports {
    @Input() in!: InputPort<number>;
    @Output() out!: OutputPort<unknown>;
    @Output() other!: OutputPort<unknown>;
    @LogicalAction() soon!: LogicalAction<unknown>;
    @PhysicalAction() door!: PhysicalAction<unknown>;
    hooks = 0;
    caught: unknown;
    @OnShutdown() end(): void {
      this.hooks++;
    }
    protected attempt(what: () => void): void {
      try {
        what();
      } catch (error) {
        this.caught = error;
      }
    }
  }

  /** The error that ended the graph, which the node also caught. */
  const failureOf = async (type: new () => Ports): Promise<DataflowError> => {
    const { report, node } = await runAlone(type);
    expect(report).toMatchObject({ status: 'forced', exitCode: 1, stopTag: undefined });
    expect(node.hooks).toBe(1);
    expect(node.caught).toBe(report.error);
    return report.error!;
  };

  it('is not a payload that throws when it is read, which is an error of the reaction', async () => {
    @DataflowNode()
    class Trap extends Ports {
      @OnTimer() send(): void {
        this.out.set({
          get a(): number {
            throw new Error('trap');
          },
        });
      }
    }
    expect((await runAlone(Trap)).report.error!.message).toContain('alone.send() failed at (0 ns, 0): trap');
  });

  it('is a second write to a port at one tag', async () => {
    @DataflowNode()
    class Twice extends Ports {
      @OnTimer({ offset: span.ms(1) }) first(): void {
        this.out.set(1);
      }
      @OnTimer({ offset: span.ms(1) }) second(): void {
        this.attempt(() => this.out.set(1));
      }
    }
    const error = await failureOf(Twice);
    expect(error).toBeInstanceOf(DoubleWriteError);
    expect(error).toMatchObject({ code: 'DATAFLOW_DOUBLE_WRITE', node: 'alone', port: 'out', tag: at(span.ms(1)) });
    expect(error.message).toContain('alone.out was written twice at (1 ms, 0)');
  });

  it('is not a write at the next microstep', async () => {
    @DataflowNode()
    class Steps extends Ports {
      @OnTimer() first(ctx: NodeContext): void {
        this.out.set(1);
        ctx.schedule(0 as never, () => this.out.set(2));
        this.door.close();
      }
    }
    expect((await runAlone(Steps)).report.status).toBe('completed');
  });

  it('is a payload that is not plain data, even if the node catches the error', async () => {
    @DataflowNode()
    class Unserialisable extends Ports {
      @OnTimer({ offset: span.ms(2) }) send(): void {
        this.attempt(() => this.out.set({ at: [new Date(0)] }));
      }
    }
    const error = await failureOf(Unserialisable);
    expect(error).toBeInstanceOf(UnserialisablePayloadError);
    expect(error).toMatchObject({ port: 'alone.out', tag: at(span.ms(2)), problem: '.at[0] is a Date' });
    expect(error.message).toContain('The value for alone.out at (2 ms, 0) cannot be sent: .at[0] is a Date.');
  });

  it('is an action with a payload that is not plain data', async () => {
    @DataflowNode()
    class Unserialisable extends Ports {
      @OnTimer() send(): void {
        this.attempt(() => this.soon.schedule(span.ms(1), () => undefined));
      }
    }
    expect(await failureOf(Unserialisable)).toMatchObject({ port: 'alone.soon', problem: 'the value is a function' });
  });

  it('is not an invalid payload from outside, which only throws to the caller', async () => {
    @DataflowNode()
    class Open extends Ports {}
    const { dataflow } = setup((g) => g.node(Open, { name: 'alone' }));
    const run = dataflow.run();
    const { door } = dataflow.node<Open>('alone')!;
    expect(() => door.schedule(Symbol('x'))).toThrow(UnserialisablePayloadError);
    door.close();
    expect((await run).status).toBe('completed');
  });

  it('is reading an input that the reaction has not declared', async () => {
    @DataflowNode()
    class Peeks extends Ports {
      @OnTimer() peek(): void {
        this.attempt(() => this.in.value);
      }
    }
    const error = await failureOf(Peeks);
    expect(error).toBeInstanceOf(UndeclaredAccessError);
    expect(error.message).toContain(`alone.peek() reads "in" without declaring it`);
    expect(error.message).toContain(`@Reaction(…, { reads: ['in'] })`);
  });

  it('is writing an output that the reaction has not declared', async () => {
    @DataflowNode()
    class Writes extends Ports {
      @OnTimer({ writes: ['other'] }) write(): void {
        this.other.set(1);
        this.attempt(() => this.out.set(1));
      }
    }
    const error = await failureOf(Writes);
    expect(error).toBeInstanceOf(UndeclaredAccessError);
    expect(error.message).toContain(`alone.write() writes "out" without declaring it`);
  });

  it.each(['isPresent', 'value', 'values'] as const)('is reading %s while no reaction runs', async (property) => {
    @DataflowNode()
    class Open extends Ports {}
    const { dataflow } = setup((g) => g.node(Open));
    const run = dataflow.run();
    const open = dataflow.node<Open>('open')!;
    expect(() => open.in[property]).toThrow(OutsideTagError);
    expect(await run).toMatchObject({ status: 'forced', error: { code: 'DATAFLOW_OUTSIDE_TAG' } });
  });

  it.each<[string, (node: Ports) => void]>([
    ['writing "out"', (node) => node.out.set(1)],
    ['scheduling "soon"', (node) => node.soon.schedule(span.ms(1), 1)],
    ['reading "soon"', (node) => node.soon.isPresent],
    ['reading "door"', (node) => node.door.value],
  ])('is %s while no reaction runs', async (what, act) => {
    @DataflowNode()
    class Open extends Ports {}
    const { dataflow } = setup((g) => g.node(Open));
    const run = dataflow.run();
    const open = dataflow.node<Open>('open')!;
    expect(() => act(open)).toThrow(`${what} outside of a reaction of node "open" is not possible`);
    expect((await run).error).toBeInstanceOf(OutsideTagError);
    expect(open.hooks).toBe(1);
  });

  it('is a write by unawaited work of a reaction', async () => {
    let detached: Promise<unknown> | undefined;
    @DataflowNode()
    class Forgets extends Ports {
      @OnTimer() begin(): void {
        const later = async () => {
          await Promise.resolve();
          this.out.set(1);
        };
        detached = later().catch((error: unknown) => error);
      }
    }
    const { dataflow } = setup((g) => g.node(Forgets));
    expect(await dataflow.run()).toMatchObject({ status: 'forced', error: { what: 'writing "out"' } });
    expect(await detached).toBeInstanceOf(OutsideTagError);
  });

  it('throws to the caller after the end, without changing the result', async () => {
    let signal: AbortSignal | undefined;
    @DataflowNode()
    class Ended extends Ports {
      @OnTimer() begin(ctx: NodeContext): void {
        signal = ctx.signal;
        this.door.close();
      }
    }
    const { report, node, dataflow, clock } = await runAlone(Ended);
    expect(() => node.in.value).toThrow(OutsideTagError);
    expect(() => node.out.set(1)).toThrow(OutsideTagError);
    await clock.advanceAsync(0);
    expect([report.status, node.hooks, dataflow.state]).toEqual(['completed', 1, 'stopped']);
    expect(signal!.aborted).toBe(false);
  });
});
