import fc from 'fast-check';
import {
  DataflowNode,
  type DataflowOptions,
  type DataflowReport,
  type GraphBuilder,
  Input,
  InputPort,
  type InputRef,
  LogicalAction,
  type NodeContext,
  OnTimer,
  Output,
  OutputPort,
  type OutputRef,
  Reaction,
  type Span,
  span,
} from '../index.js';
import { setup } from './graph.fixture.js';

/** Acts at random, and pauses as long as the test wants. */
@DataflowNode()
class Busy {
  @Input() in!: InputPort<unknown>;
  @Input({ retain: true }) kept!: InputPort<unknown>;
  @Output() out!: OutputPort<unknown>;
  @Output() other!: OutputPort<unknown>;
  @LogicalAction() again!: LogicalAction<number>;
  static pauses: () => number = () => 0;

  @OnTimer({ offset: span.us(3), period: span.us(7), reads: ['kept'], writes: ['out'] })
  async tick(ctx: NodeContext): Promise<void> {
    await this.#pause();
    if (ctx.random() < 0.7) this.out.set({ id: ctx.id(), kept: this.kept.value });
    if (ctx.random() < 0.5) this.again.schedule(span.us(Math.floor(ctx.random() * 3)), Math.floor(ctx.random() * 10));
    if (ctx.random() < 0.3) ctx.schedule(span.ns(0), () => this.again.schedule(span.ns(0), -1));
  }

  @Reaction('in', 'again', { writes: ['other'] })
  async take(ctx: NodeContext): Promise<void> {
    await this.#pause();
    if (ctx.random() < 0.6) this.other.set([this.in.values, this.again.value]);
  }

  @Reaction('kept', { writes: [] })
  look(): void {}

  async #pause(): Promise<void> {
    for (let turns = Busy.pauses(); turns > 0; turns--) await Promise.resolve();
  }
}

interface Edge {
  readonly from: number;
  readonly to: number;
  readonly output: 'out' | 'other';
  readonly input: 'in' | 'kept';
  readonly after: Span | undefined;
}

const COUNT = 5;
const index = fc.nat({ max: COUNT - 1 });
const edges: fc.Arbitrary<Edge[]> = fc
  .array(
    fc.record({
      from: index,
      to: index,
      output: fc.constantFrom('out' as const, 'other' as const),
      input: fc.constantFrom('in' as const, 'kept' as const),
      after: fc.constantFrom<(Span | undefined)[]>(
        undefined,
        undefined,
        span.ns(0),
        span.us(1),
        span.us(2),
        span.ms(1),
      ),
    }),
    { maxLength: 12 },
  )
  // Edges without a delay only lead forward, so that there is no cycle.
  .map((all) => all.map((edge) => (edge.from < edge.to ? edge : { ...edge, after: edge.after ?? span.ns(0) })));

const graphOf = (edges: readonly Edge[], order: readonly number[]) => (g: GraphBuilder) => {
  const nodes = Object.fromEntries(order.map((i) => [i, g.node(Busy, { name: `n${i}` })]));
  const merges = new Map<InputRef<unknown>, { from: OutputRef<unknown>; after: Span | undefined }[]>();
  for (const { from, to, output, input, after } of edges) {
    const [source, target] = [nodes[from]![output], nodes[to]![input]];
    const all = merges.get(target) ?? [];
    if (!all.some((one) => one.from === source)) merges.set(target, [...all, { from: source, after }]);
  }
  for (const [target, sources] of merges) g.merge(sources, target);
};

const runWith = async (
  edges: readonly Edge[],
  order: readonly number[],
  pauses: () => number,
  options: Partial<DataflowOptions> = {},
): Promise<DataflowReport> => {
  Busy.pauses = pauses;
  return setup(graphOf(edges, order), { timeout: span.us(60), ...options }).dataflow.run();
};

const IN_ORDER = [...Array(COUNT).keys()];

describe('trace of a graph', () => {
  it('is the same for any order of adding nodes and any duration of reactions', async () => {
    const order = fc.shuffledSubarray(IN_ORDER, { minLength: COUNT });
    const pauses = fc.infiniteStream(fc.nat({ max: 3 }));
    await fc.assert(
      fc.asyncProperty(edges, order, pauses, async (edges, order, pauses) => {
        const first = await runWith(edges, IN_ORDER, () => 0);
        const second = await runWith(edges, order, () => pauses.next().value as number);
        expect(second).toEqual(first);
        expect(first.status).toBe('stopped');
        expect(first.nodes['n0']!.tags).toBeGreaterThan(5);
      }),
      { numRuns: 60 },
    );
  });

  it('differs with another seed, or with another connection', async () => {
    const edge: Edge = { from: 0, to: 1, output: 'out', input: 'in', after: undefined };
    const traces = await Promise.all([
      runWith([], IN_ORDER, () => 0),
      runWith([], IN_ORDER, () => 0, { seed: 'another' }),
      runWith([edge], IN_ORDER, () => 0),
      runWith([{ ...edge, after: span.us(1) }], IN_ORDER, () => 0),
      runWith([{ ...edge, input: 'kept' }], IN_ORDER, () => 0),
    ]);
    expect(new Set(traces.map(({ digest }) => digest)).size).toBe(traces.length);
  });
});

describe('digest', () => {
  const digestOf = async (type: new () => object) => {
    const { dataflow } = setup((g) => g.node(type, { name: 'alone' }), { timeout: span.ms(2) });
    return (await dataflow.run()).digest;
  };

  it('distinguishes time, port and value of an output', async () => {
    const says = (port: 'a' | 'b', value: unknown, offset: Span) => {
      @DataflowNode()
      class Says {
        @Output() a!: OutputPort<unknown>;
        @Output() b!: OutputPort<unknown>;
        @OnTimer({ period: span.ms(1) }) tick({ now }: NodeContext): void {
          if (now.time === span.toNs(offset)) this[port].set(value);
        }
      }
      return Says;
    };
    const digests = await Promise.all(
      [
        says('a', 1, span.ms(0)),
        says('b', 1, span.ms(0)),
        says('a', 2, span.ms(0)),
        says('a', '1', span.ms(0)),
        says('a', undefined, span.ms(0)),
        says('a', 1, span.ms(1)),
        says('a', 1, span.ms(7)),
      ].map(digestOf),
    );
    expect(new Set(digests).size).toBe(digests.length);
  });
});
