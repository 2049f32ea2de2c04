import { ManualClock } from '@roost/time/testing';
import {
  DataflowNode,
  type GraphDescription,
  Input,
  InputPort,
  LogicalAction,
  type NodeContext,
  OnStart,
  OnTimer,
  Output,
  OutputPort,
  PhysicalAction,
  Reaction,
  span,
} from '../index.js';
import { at, deferred, setup } from './graph.fixture.js';

@DataflowNode()
class Door {
  @PhysicalAction() opens!: PhysicalAction<number>;
  @Output() out!: OutputPort<number>;
  @Reaction('opens') pass(): void {
    this.out.set(this.opens.value!);
  }
}
@DataflowNode()
class Once {
  @Output() out!: OutputPort<number>;
  @OnTimer({ offset: span.ms(20) }) run(): void {
    this.out.set(1);
  }
}
@DataflowNode()
class Join {
  @Input() in!: InputPort<number>;
  @Input() lone!: InputPort<number>;
  @Output() out!: OutputPort<number>;
  @Reaction('in') take(): void {
    this.out.set(1);
  }
}

const joined = () =>
  setup(
    (g) => {
      const [door, once, join, after] = [g.node(Door), g.node(Once), g.node(Join), g.node(Join, { name: 'after' })];
      g.merge([door.out, { from: once.out, after: span.ns(0) }], join.in);
      g.connect(join.out, after.in, { after: span.ms(50) });
      g.connectPhysical(once.out, after.lone);
    },
    { fast: false },
  );

const nodeOf = (description: GraphDescription, name: string) => description.nodes.find((node) => node.name === name)!;

describe('describe', () => {
  it('lists the connections', () => {
    expect(joined().dataflow.describe().edges).toEqual([
      { from: 'door.out', to: 'join.in', isPhysical: false },
      { from: 'once.out', to: 'join.in', after: at(0, 1), isPhysical: false },
      { from: 'join.out', to: 'after.in', after: at(span.ms(50)), isPhysical: false },
      { from: 'once.out', to: 'after.lone', isPhysical: true },
    ]);
  });

  it('reports which nodes may still send, and which are done', async () => {
    const { dataflow, clock } = joined();
    const run = dataflow.run();
    await clock.advanceAsync(1);
    const state = () =>
      dataflow
        .describe()
        .nodes.map(({ name, isDone, activeUpstreams, queued }) => [name, isDone, activeUpstreams, queued]);
    expect(state()).toEqual([
      ['door', false, {}, 0],
      ['once', false, {}, 1],
      ['join', false, { in: 2, lone: 0 }, 0],
      ['after', false, { in: 1, lone: 1 }, 0],
    ]);
    dataflow.node<Door>('door')!.opens.close();
    expect(state()[2]).toEqual(['join', false, { in: 1, lone: 0 }, 0]);
    await clock.advanceAsync(20);
    expect(state()).toEqual([
      ['door', true, {}, 0],
      ['once', true, {}, 0],
      ['join', true, { in: 0, lone: 0 }, 0],
      ['after', false, { in: 0, lone: 0 }, 1],
    ]);
    await clock.advanceAsync(60);
    await run;
    expect(state().map(([name, isDone]) => [name, isDone])).toEqual([
      ['door', true],
      ['once', true],
      ['join', true],
      ['after', true],
    ]);
  });

  it('counts tags and firings of each node', async () => {
    const { dataflow, clock } = joined();
    const { version, nodes } = dataflow.describe();
    expect(version).toBe(dataflow.graph.version);
    expect(nodes[0]).toMatchObject({ name: 'door', type: 'Door', tag: undefined, tags: 0, firings: 0 });
    const run = dataflow.run();
    await clock.advanceAsync(3);
    dataflow.node<Door>('door')!.opens.schedule(1);
    await clock.advanceAsync(1);
    expect(nodeOf(dataflow.describe(), 'join')).toMatchObject({
      type: 'Join',
      tag: at(span.ms(3)),
      tags: 1,
      firings: 1,
    });
    await dataflow.forceStop('enough');
    await run;
  });

  it('counts the events that a node has scheduled', async () => {
    @DataflowNode()
    class Plans {
      @LogicalAction() soon!: LogicalAction;
      @OnStart() begin(ctx: NodeContext): void {
        this.soon.schedule(span.ms(5));
        ctx.schedule(span.ms(5), () => undefined);
        ctx.schedule(span.ms(6), () => undefined);
      }
    }
    const { dataflow, clock } = setup((g) => g.node(Plans), { fast: false });
    const run = dataflow.run();
    await clock.advanceAsync(1);
    expect(nodeOf(dataflow.describe(), 'plans')).toMatchObject({ queued: 3, isDone: false });
    await clock.advanceAsync(10);
    await run;
  });

  it('names the running reaction, and keeps nodes downstream of it active', async () => {
    const gate = deferred();
    @DataflowNode()
    class Slow {
      @Output() out!: OutputPort<number>;
      @OnStart() work(): Promise<void> {
        return gate.promise;
      }
    }
    const { dataflow, settle } = setup((g) => g.connect(g.node(Slow).out, g.node(Join).in));
    const run = dataflow.run();
    await settle();
    expect(dataflow.describe().nodes).toMatchObject([
      { name: 'slow', running: 'work', isDone: false },
      { name: 'join', running: undefined, isDone: false, activeUpstreams: { in: 1 } },
    ]);
    gate.resolve();
    await run;
  });

  it('has no queued events and only finished nodes after the end, forced or not', async () => {
    @DataflowNode()
    class Endless {
      @PhysicalAction() door!: PhysicalAction;
      @OnTimer({ period: span.ms(1) }) tick(): void {}
    }
    for (const isForced of [false, true]) {
      const { dataflow } = setup((g) => g.node(Endless), { timeout: isForced ? undefined : span.ms(3) });
      const run = dataflow.run();
      if (isForced) await dataflow.forceStop('enough');
      await run;
      expect(dataflow.describe().nodes).toMatchObject([{ queued: 0, isDone: true, lagMs: 0 }]);
    }
  });

  it('names the nodes that lag behind the clock', async () => {
    const clock = new ManualClock();
    const gate = deferred();
    @DataflowNode()
    class Busy {
      @OnTimer({ period: span.ms(10) }) tick(): Promise<void> {
        return gate.promise;
      }
    }
    const lag = async (fast: boolean) => {
      const { dataflow } = setup(
        (g) => {
          g.node(Busy);
          g.node(Join);
        },
        { clock, fast, lagWarningMs: 100 },
      );
      const run = dataflow.run();
      await clock.advanceAsync(110);
      const { lagging, nodes } = dataflow.describe();
      await clock.advanceAsync(1);
      const later = dataflow.describe().lagging;
      await dataflow.forceStop('enough');
      await run;
      return [nodes.map(({ lagMs }) => lagMs), lagging, later];
    };
    expect(await lag(false)).toEqual([[100, 0], [], ['busy']]);
    expect(await lag(true)).toEqual([[0, 0], [], []]);
  });
});
