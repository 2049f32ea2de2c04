import fc from 'fast-check';
import { ZeroDelayCycleError } from '../errors/zero-delay-cycle.error.js';
import {
  Dataflow,
  DataflowNode,
  type GraphBuilder,
  Input,
  InputPort,
  type InputRef,
  OnShutdown,
  OnTimer,
  Output,
  OutputPort,
  type OutputRef,
  Reaction,
  type Span,
  span,
} from '../index.js';
import { isSame, NO_DELAY } from '../time/tag.js';
import type { ReactionModel } from './model.js';

const build = (graph: (g: GraphBuilder) => void) => new Dataflow({ graph }).graph;

@DataflowNode()
class Echo {
  @Input() in!: InputPort<number>;
  @Output() out!: OutputPort<number>;
  @Reaction('in') answer(): void {}
}

/** Two independent lanes: input 1 to output 1, and input 2 to output 2. */
@DataflowNode()
class TwoLanes {
  @Input() in1!: InputPort<number>;
  @Input() in2!: InputPort<number>;
  @Output() out1!: OutputPort<number>;
  @Output() out2!: OutputPort<number>;
  @Reaction('in1', { writes: ['out1'] }) first(): void {}
  @Reaction('in2', { writes: ['out2'] }) second(): void {}
}

describe('a cycle without delay', () => {
  const ring = (after?: Span) => (g: GraphBuilder) => {
    const [a, b] = [g.node(Echo, { name: 'a' }), g.node(Echo, { name: 'b' })];
    g.connect(a.out, b.in);
    g.connect(b.out, a.in, { after });
  };

  it('is rejected, with its path', () => {
    expect(() => build(ring())).toThrow(ZeroDelayCycleError);
    let path: readonly string[] = [];
    try {
      build(ring());
    } catch (error) {
      path = (error as ZeroDelayCycleError).path;
    }
    const cycle = ['a.answer()', 'a.out', 'b.in', 'b.answer()', 'b.out', 'a.in'];
    const from = cycle.indexOf(path[0]!);
    expect(path).toEqual([...cycle.slice(from), ...cycle.slice(0, from), path[0]]);
    expect(() => build(ring())).toThrow('a.out → b.in → b.answer()');
  });

  it('is rejected on a single node', () => {
    const self = (g: GraphBuilder) => {
      const echo = g.node(Echo);
      g.connect(echo.out, echo.in);
    };
    expect(() => build(self)).toThrow('echo.answer() → echo.out → echo.in → echo.answer()');
  });

  it('is found downstream of other nodes', () => {
    const tailed = (g: GraphBuilder) => {
      const [head, a, b, tail] = ['head', 'a', 'b', 'tail'].map((name) => g.node(TwoLanes, { name }));
      g.connect(head!.out1, a!.in2);
      g.connect(a!.out1, b!.in1);
      g.connect(b!.out1, a!.in1);
      g.connect(b!.out2, tail!.in1);
    };
    expect(() => build(tailed)).toThrow(
      /Cycle without delay: [ab]\.first\(\) → [ab]\.out1 → [ab]\.in1 → [ab]\.first\(\) → /,
    );
  });

  it('may include the order of the reactions of a node', () => {
    const upwards = (g: GraphBuilder) => {
      const lanes = g.node(TwoLanes);
      g.connect(lanes.out2, lanes.in1);
    };
    expect(() => build(upwards)).toThrow(
      'two-lanes.second() → two-lanes.out2 → two-lanes.in1 → two-lanes.first() → two-lanes.second()',
    );
  });

  it('includes inputs that a reaction only reads', () => {
    @DataflowNode()
    class Peeks {
      @Input() in!: InputPort<number>;
      @Output() out!: OutputPort<number>;
      @OnTimer({}) tick(): void {}
      @OnTimer({ reads: ['in'] }) peek(): void {}
    }
    const self = (g: GraphBuilder) => {
      const peeks = g.node(Peeks);
      g.connect(peeks.out, peeks.in);
    };
    expect(() => build(self)).toThrow(ZeroDelayCycleError);
  });

  it.each([
    ['a microstep', span.ns(0)],
    ['time', span.ms(1)],
  ])('is broken by a delay of %s', (_, after) => {
    expect(build(ring(after)).edges).toHaveLength(2);
  });

  it('is broken by a physical connection', () => {
    const physical = (g: GraphBuilder) => {
      const echo = g.node(Echo);
      g.connectPhysical(echo.out, echo.in);
    };
    expect(build(physical).edges).toHaveLength(1);
  });

  it('of nodes is accepted if it is not a cycle of reactions', () => {
    const through = (g: GraphBuilder) => {
      const [lanes, echo] = [g.node(TwoLanes), g.node(Echo)];
      g.connect(lanes.out1, echo.in);
      g.connect(echo.out, lanes.in2);
    };
    const [lanes, echo] = build(through).nodes;
    const [, first, second] = lanes!.reactions;
    expect([first!.level, echo!.reactions[1]!.level, second!.level]).toEqual([1, 2, 3]);
  });
});

describe('levels', () => {
  it('put shutdown reactions after all other reactions of their node, wherever they are declared', () => {
    @DataflowNode()
    class Early {
      @OnShutdown() end(): void {}
      @OnTimer() tick(): void {}
    }
    const [early] = build((g) => g.node(Early)).nodes;
    expect(early!.reactions.map(({ method }) => method)).toEqual(['', 'tick', 'end']);
    expect(early!.reactions.map(({ level }) => level)).toEqual([0, 1, 2]);
  });

  const randomGraph = fc.record({
    nodes: fc.integer({ min: 1, max: 7 }),
    edges: fc.array(
      fc.record({
        from: fc.nat({ max: 6 }),
        to: fc.nat({ max: 6 }),
        out: fc.constantFrom('out1' as const, 'out2' as const),
        in: fc.constantFrom('in1' as const, 'in2' as const),
        after: fc.constantFrom(undefined, undefined, undefined, span.ns(0), span.ms(1)),
      }),
      { maxLength: 15 },
    ),
  });

  type GraphSpec = typeof randomGraph extends fc.Arbitrary<infer T> ? T : never;

  const connectAll = (g: GraphBuilder, { nodes, edges }: GraphSpec): void => {
    const handles = Array.from({ length: nodes }, (_, i) => g.node(TwoLanes, { name: `n${i}` }));
    const merges = new Map<InputRef<number>, { from: OutputRef<number>; after: Span | undefined }[]>();
    for (const { from, to, out, in: input, after } of edges) {
      const [source, target] = [handles[from % nodes]![out], handles[to % nodes]![input]];
      const all = merges.get(target) ?? [];
      if (!all.some((one) => one.from === source)) merges.set(target, [...all, { from: source, after }]);
    }
    for (const [target, sources] of merges) g.merge(sources, target);
  };

  const influenced = ({ node, writes }: ReactionModel): ReactionModel[] =>
    [...writes].flatMap((output) =>
      node.outputs[output]!.edges.filter((edge) => isSame(edge.delay, NO_DELAY)).flatMap((edge) =>
        edge.to.reactions.filter(({ reads }) => reads.has(edge.input)),
      ),
    );

  it('are above all predecessors at the same tag, in any graph without a cycle', () => {
    let cyclic = 0;
    fc.assert(
      fc.property(randomGraph, (spec) => {
        let reactions: ReactionModel[];
        try {
          reactions = build((g) => connectAll(g, spec)).nodes.flatMap((node) => node.reactions);
        } catch (error) {
          expect(error).toBeInstanceOf(ZeroDelayCycleError);
          const { path } = error as ZeroDelayCycleError;
          expect(path[0]).toBe(path.at(-1));
          expect(path.length).toBeGreaterThan(2);
          // With a delay on every edge there is no such cycle.
          const delayed = { ...spec, edges: spec.edges.map((edge) => ({ ...edge, after: span.ns(0) })) };
          expect(build((g) => connectAll(g, delayed)).nodes).toHaveLength(spec.nodes);
          cyclic++;
          return;
        }
        const next = (one: ReactionModel) => {
          const { reactions } = one.node;
          const following = reactions[reactions.indexOf(one) + 1];
          return [...influenced(one), ...(following ? [following] : [])];
        };
        for (const reaction of reactions) {
          for (const later of next(reaction)) {
            expect(later.level).toBeGreaterThan(reaction.level);
            expect(later.rank).toBeGreaterThan(reaction.rank);
          }
        }
        expect(reactions.map(({ rank }) => rank).sort((a, b) => a - b)).toEqual([...reactions.keys()]);
      }),
      { numRuns: 300 },
    );
    expect(cyclic).toBeGreaterThan(10);
  });
});
