import fc from 'fast-check';
import {
  DataflowNode,
  GraphBuilder,
  Input,
  InputPort,
  type NodeOptions,
  Output,
  OutputPort,
  Reaction,
  span,
} from '../index.js';
import { findZeroDelayCycle } from '../progress/partition-edge.js';
import { SplitCycleError } from '../errors/split-cycle.error.js';
import { PlacementError } from '../errors/placement.error.js';
import { randomNumbers } from './cluster.fixture.js';
import { type GraphPlacement, planProcesses, type ProcessPlan } from './plan.js';
import { describeRandom, randomGraph } from './random-graph.fixture.js';

/** Passes values along two independent paths. */
@DataflowNode()
class Pass {
  @Input() in!: InputPort<number>;
  @Input() other!: InputPort<number>;
  @Output() out!: OutputPort<number>;
  @Output() far!: OutputPort<number>;

  @Reaction('in', { writes: ['out'] })
  pass(): void {}

  @Reaction('other', { writes: ['far'] })
  passOther(): void {}
}

@DataflowNode()
class Keeper {
  @Input({ retain: true }) in!: InputPort<number>;
}

type Processes = GraphPlacement['processes'];

const plan = (
  describe: (g: GraphBuilder) => void,
  processes: Processes,
  more: Omit<GraphPlacement, 'processes'> = {},
): ProcessPlan => {
  const builder = new GraphBuilder();
  describe(builder);
  return planProcesses(builder.build(), { processes, ...more });
};
const pass = (g: GraphBuilder, name: string, options: NodeOptions = {}) => g.node(Pass, { name, ...options });

/** a → b → c → … without delay. */
const chain =
  (...names: string[]) =>
  (g: GraphBuilder): void => {
    const nodes = names.map((name) => pass(g, name));
    for (const [at, node] of nodes.slice(1).entries()) g.connect(nodes[at]!.out, node.in);
  };
const partitionsOf = ({ partitions }: ProcessPlan): [string, string[]][] =>
  partitions.map(({ process, nodes }) => [process, nodes.map(({ name }) => name)]);

describe('placement', () => {
  it('requires every node in exactly one process', () => {
    const graph = chain('a', 'b', 'c');
    expect(() => plan(graph, { p: ['a', 'b'] })).toThrow('no process lists "c"');
    expect(() => plan(graph, { p: ['a', 'b'], q: ['b', 'c'] })).toThrow('node "b" is placed in both "p" and "q"');
    expect(() => plan(graph, { p: ['a', 'a', 'b', 'c'] })).toThrow('node "a" is placed in both "p" and "p"');
    expect(() => plan(graph, { p: ['a', 'b', 'c', 'd'] })).toThrow('process "p" lists "d", which is not a node');
    expect(() => plan(graph, {})).toThrow(PlacementError);
  });

  it('adds a process for the coordinator, with or without nodes', () => {
    expect(plan(chain('a'), { p: ['a'] })).toMatchObject({
      app: 'dataflow',
      coordinator: 'coordinator',
      processes: ['p', 'coordinator'],
    });
    const given = plan(chain('a'), { p: ['a'], q: [] }, { app: 'x', coordinator: 'q' });
    expect(given).toMatchObject({ app: 'x', coordinator: 'q', processes: ['p', 'q'] });
  });
});

describe('partitions of a process', () => {
  it('are split where a tag leaves the process and returns to it', () => {
    const graph = chain('a', 'b', 'c', 'd', 'e');
    expect(partitionsOf(plan(graph, { p: ['a', 'b', 'c', 'd', 'e'] }))).toEqual([['p', ['a', 'b', 'c', 'd', 'e']]]);
    expect(partitionsOf(plan(graph, { p: ['a', 'c', 'e'], q: ['b', 'd'] }))).toEqual([
      ['p', ['a']],
      ['q', ['b']],
      ['p', ['c']],
      ['q', ['d']],
      ['p', ['e']],
    ]);
    expect(partitionsOf(plan(graph, { p: ['a', 'b', 'e'], q: ['c', 'd'] }))).toEqual([
      ['p', ['a', 'b']],
      ['q', ['c', 'd']],
      ['p', ['e']],
    ]);
  });

  it('are not split when the returning connection is delayed or physical', () => {
    const graph = (g: GraphBuilder): void => {
      const [a, b, c] = ['a', 'b', 'c'].map((name) => pass(g, name));
      g.connect(a!.out, b!.in);
      g.connect(b!.out, c!.in, { after: span.ms(0) });
      g.connectPhysical(b!.far, a!.in);
    };
    const { crossEdges, logical, physical, ...rest } = plan(graph, { p: ['a', 'c'], q: ['b'] });
    expect(partitionsOf({ crossEdges, logical, physical, ...rest })).toEqual([
      ['p', ['a', 'c']],
      ['q', ['b']],
    ]);
    expect([crossEdges.length, logical.length, physical.length]).toEqual([3, 2, 1]);
  });

  /** A cycle of nodes that is not a cycle of reactions. */
  const crossing = (g: GraphBuilder): void => {
    const [a, b, c] = ['a', 'b', 'c'].map((name) => pass(g, name));
    g.connect(a!.out, b!.other);
    g.connect(b!.out, a!.other);
    g.connect(b!.far, c!.in);
  };

  it('keep a cycle of nodes together that is not a cycle of reactions', () => {
    expect(partitionsOf(plan(crossing, { p: ['a', 'b'], q: ['c'] }))).toEqual([
      ['p', ['a', 'b']],
      ['q', ['c']],
    ]);
    expect(() => plan(crossing, { p: ['a', 'c'], q: ['b'] })).toThrow(SplitCycleError);
    expect(() => plan(crossing, { p: ['a', 'c'], q: ['b'] })).toThrow(/^a, b are/);
  });

  it('never wait for each other within a tag', () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const random = randomGraph(randomNumbers(seed));
        const made = plan(describeRandom(random), random.processes);
        expect(findZeroDelayCycle(made.partitions.length, made.logicalEdges)).toBeUndefined();
        const placed = made.partitions.flatMap(({ process, nodes }) => nodes.map(({ name }) => `${process} ${name}`));
        const expected = Object.entries(random.processes).flatMap(([process, names]) =>
          names.map((name) => `${process} ${name}`),
        );
        expect(placed.sort()).toEqual(expected.sort());
        for (const { from, to, model } of made.crossEdges) {
          expect(from.nodes).toContain(model.from);
          expect(to.nodes).toContain(model.to);
        }
      }),
    );
  });
});

describe('a process whose nodes have onCrash: restart', () => {
  const restart: NodeOptions = { onCrash: 'restart' };
  const refused = (describe: (g: GraphBuilder) => void, processes: Processes) =>
    expect(() => plan(describe, processes)).toThrow.bind(expect(() => plan(describe, processes)));

  it('has the strictest policy of its nodes', () => {
    const graph = (g: GraphBuilder): void => {
      pass(g, 'a', restart);
      pass(g, 'b');
      pass(g, 'c', { onCrash: 'treatAsDone' });
    };
    const policies = (processes: Processes): unknown => Object.fromEntries(plan(graph, processes).policies);
    expect(policies({ p: ['a'], q: ['b'], r: ['c'], s: [] })).toEqual({
      p: 'restart',
      q: 'fail',
      r: 'treatAsDone',
      s: 'treatAsDone',
      coordinator: 'fail',
    });
    expect(policies({ p: ['a', 'b', 'c'] })).toMatchObject({ p: 'fail' });
    expect(policies({ coordinator: ['a', 'c'], q: ['b'] })).toMatchObject({ coordinator: 'fail' });
    expect(() => plan(graph, { p: ['a', 'c'], q: ['b'] })).toThrow(
      "nodes with onCrash 'restart' and nodes with 'treatAsDone'",
    );
  });

  it('must not send itself messages that stay in flight', () => {
    const within = (after?: ReturnType<typeof span.ms>) => (g: GraphBuilder) => {
      const [a, b] = [pass(g, 'a', restart), pass(g, 'b', restart)];
      g.connect(a.out, b.in, after === undefined ? {} : { after });
    };
    expect(plan(within(), { p: ['a', 'b'] }).partitions).toHaveLength(1);
    refused(within(span.ms(1)), { p: ['a', 'b'] })('Messages in flight would be lost in a crash');
    refused(within(span.ms(0)), { p: ['a', 'b'] })('a.out → b.in leads into process "p"');
    const around = (g: GraphBuilder): void => {
      const [a, b, c] = [pass(g, 'a', restart), pass(g, 'b'), pass(g, 'c', restart)];
      g.connect(a.out, b.in);
      g.connect(b.out, c.in);
      g.connect(a.far, c.other);
    };
    refused(around, { p: ['a', 'c'], q: ['b'] })('Place the two nodes in different processes');
  });

  it('must not receive physical messages or retain values', () => {
    const physical = (g: GraphBuilder): void => g.connectPhysical(pass(g, 'a').out, pass(g, 'b', restart).in);
    refused(physical, { p: ['a'], q: ['b'] })('would be handled twice');
    const out = (g: GraphBuilder): void => g.connectPhysical(pass(g, 'a', restart).out, pass(g, 'b').in);
    expect(plan(out, { p: ['a'], q: ['b'] }).physical).toHaveLength(1);
    const retained = (g: GraphBuilder): void => g.connect(pass(g, 'a').out, g.node(Keeper, restart).in);
    refused(retained, { p: ['a'], q: ['keeper'] })('The retained value of the input would be lost');
  });

  it('must not be on a cycle of such processes', () => {
    const ring = (last: NodeOptions) => (g: GraphBuilder) => {
      const [a, b, c] = [pass(g, 'a', restart), pass(g, 'b', restart), pass(g, 'c', last)];
      g.connect(a.out, b.in);
      g.connect(b.out, c.in);
      g.connect(c.out, a.in, { after: span.ms(1) });
    };
    const processes = { p: ['a'], q: ['b'], r: ['c'] };
    refused(ring(restart), processes)('is on a cycle of processes');
    expect(plan(ring({}), processes).partitions).toHaveLength(3);
  });
});
