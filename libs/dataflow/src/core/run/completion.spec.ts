import {
  DataflowNode,
  Input,
  InputPort,
  LogicalAction,
  type NodeContext,
  OnShutdown,
  OnStart,
  OnTimer,
  Output,
  OutputPort,
  PhysicalAction,
  Reaction,
  span,
} from '../index.js';
import { at, deferred, runAlone, setup } from './graph.fixture.js';

describe('completion of a graph', () => {
  it('is one microstep after its last tag', async () => {
    @DataflowNode()
    class Brief {
      stoppedAt: unknown;
      @OnTimer({ offset: span.ms(5) }) last(): void {}
      @OnShutdown() end({ now }: NodeContext): void {
        this.stoppedAt = now;
      }
    }
    const { report, node } = await runAlone(Brief);
    expect(report).toMatchObject({ status: 'completed', exitCode: 0, stopTag: at(span.ms(5), 1), error: undefined });
    expect(report).toMatchObject({ controlMessages: 0, dataMessages: 0 });
    expect(node.stoppedAt).toEqual(at(span.ms(5), 1));
  });

  it('is immediate when there is nothing to do', async () => {
    @DataflowNode()
    class Hermit {}
    expect((await runAlone(Hermit)).report).toMatchObject({
      status: 'completed',
      stopTag: at(0, 1),
      nodes: { alone: { tags: 0, firings: 0 } },
    });
  });

  it('follows when a cycle has come to rest', async () => {
    @DataflowNode()
    class Ring {
      @Input() in!: InputPort<number>;
      @Output() out!: OutputPort<number>;
      @OnStart() begin({ node }: NodeContext): void {
        if (node === 'a') this.out.set(5);
      }
      @Reaction('in') pass(): void {
        if (this.in.value! > 0) this.out.set(this.in.value! - 1);
      }
    }
    const { dataflow } = setup((g) => {
      const [a, b] = [g.node(Ring, { name: 'a' }), g.node(Ring, { name: 'b' })];
      g.connect(a.out, b.in, { after: span.ms(1) });
      g.connect(b.out, a.in, { after: span.ns(0) });
    });
    expect(await dataflow.run()).toMatchObject({ status: 'completed', stopTag: at(span.ms(3), 2) });
  });

  it('waits until every physical action is closed', async () => {
    @DataflowNode()
    class Doors {
      @PhysicalAction() front!: PhysicalAction;
      @PhysicalAction() back!: PhysicalAction;
    }
    const { dataflow, clock } = setup((g) => g.node(Doors));
    const run = dataflow.run();
    const doors = dataflow.node<Doors>('doors')!;
    await clock.advanceAsync(10);
    doors.front.close();
    await clock.advanceAsync(10);
    expect(dataflow.state).toBe('running');
    doors.back.close();
    expect((await run).status).toBe('completed');
  });

  it('waits for the input of a physical action that was closed immediately', async () => {
    @DataflowNode()
    class Door {
      @PhysicalAction() front!: PhysicalAction<number>;
      @LogicalAction() then!: LogicalAction<number>;
      readonly seen: unknown[] = [];
      @Reaction('front') look(): void {
        this.then.schedule(span.ms(1), this.front.value!);
      }
      @Reaction('then') after(): void {
        this.seen.push(this.then.value);
      }
    }
    const { dataflow } = setup((g) => g.node(Door));
    const run = dataflow.run();
    const door = dataflow.node<Door>('door')!;
    door.front.schedule(1);
    door.front.schedule(2);
    door.front.close();
    expect((await run).status).toBe('completed');
    expect(door.seen).toEqual([1, 2]);
  });

  it('waits for reactions that have not settled', async () => {
    const gate = deferred();
    @DataflowNode()
    class Slow {
      @OnStart() run(): Promise<void> {
        return gate.promise;
      }
    }
    const { dataflow, clock } = setup((g) => g.node(Slow));
    const run = dataflow.run();
    await clock.advanceAsync(1_000);
    expect(dataflow.state).toBe('running');
    gate.resolve();
    expect((await run).status).toBe('completed');
  });
});

describe('DataflowReport', () => {
  it('counts the tags and firings of each node, and has a digest per node and one for all', async () => {
    @DataflowNode()
    class Two {
      @OnTimer({ period: span.ms(1) }) one(): void {}
      @OnTimer({ period: span.ms(2) }) two(): void {}
    }
    const { report } = await runAlone(Two, { timeout: span.ms(3) });
    expect(report.nodes).toEqual({
      alone: { tags: 4, firings: 6, digest: expect.stringMatching(/^[0-9a-f]{16}$/) as string },
    });
    expect(report.digest).toMatch(/^[0-9a-f]{16}$/);
  });
});
