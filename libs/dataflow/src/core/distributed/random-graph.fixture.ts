import {
  DataflowNode,
  type GraphBuilder,
  Input,
  type InputPort,
  LogicalAction,
  type NodeClass,
  type NodeContext,
  OnShutdown,
  OnStart,
  Output,
  type OutputPort,
  Reaction,
  type Span,
  span,
} from '../index.js';
import type { InputRef, OutputRef } from '../graph/builder.js';

/** A graph as plain data, with the placement of its nodes. */
export interface RandomGraph {
  readonly nodes: readonly RandomNodePlan[];
  readonly edges: readonly RandomEdge[];
  readonly processes: Readonly<Record<string, readonly string[]>>;
  readonly timeout: Span | undefined;
}

export interface RandomNodePlan {
  readonly name: string;
  readonly inputs: number;
  /** Number of events that it schedules itself. */
  readonly bursts: number;
  readonly pause: Span;
}

export interface RandomEdge {
  readonly from: number;
  readonly to: number;
  readonly input: number;
  readonly after: Span | undefined;
}

interface Token {
  readonly hash: number;
  /** Limits the number of hops, so that a cycle ends. */
  readonly hops: number;
}

const DELAYS = [span.ns(0), span.us(300), span.ms(1), span.ms(1), span.ms(2)] as const;
const PAUSES = [span.ns(0), span.us(700), span.ms(1), span.ms(1), span.ms(3)] as const;

/**
 * Returns a random graph. Connections without delay only lead from lower to higher nodes, so there is no cycle without
 * delay.
 */
export function randomGraph(random: () => number): RandomGraph {
  const below = (limit: number): number => Math.floor(random() * limit);
  const size = 2 + below(6);
  const nodes = Array.from({ length: size }, (_, at): RandomNodePlan => {
    const isSource = at === 0 || random() < 0.3;
    const bursts = isSource ? 1 + below(12) : 0;
    return { name: `n${at}`, inputs: 1 + below(3), bursts, pause: PAUSES[below(PAUSES.length)]! };
  });
  const edges = nodes.flatMap(({ inputs }, to) =>
    Array.from({ length: inputs }, (_, input): RandomEdge => {
      const from = below(size);
      const isDelayed = from >= to || random() < 0.4;
      return { from, to, input, after: isDelayed ? DELAYS[below(DELAYS.length)]! : undefined };
    }),
  );
  const processes: Record<string, string[]> = {};
  const count = 1 + below(4);
  for (const { name } of nodes) (processes[`p${below(count)}`] ??= []).push(name);
  return { nodes, edges, processes, timeout: random() < 0.4 ? span.ms(1 + below(6)) : undefined };
}

export const describeRandom =
  ({ nodes, edges }: RandomGraph) =>
  (g: GraphBuilder): void => {
    const handles = nodes.map(
      (plan) => g.node(classOf(plan), { name: plan.name }) as unknown as Record<string, OutputRef<Token>>,
    );
    for (const { from, to, input, after } of edges) {
      const end = handles[to]![`in${input}`] as unknown as InputRef<Token>;
      g.connect(handles[from]!['out']!, end, after === undefined ? {} : { after });
    }
  };

function classOf({ inputs, bursts, pause }: RandomNodePlan): NodeClass {
  const names = Array.from({ length: inputs }, (_, at) => `in${at}`);
  class Node {
    [name: string]: unknown;
    out!: OutputPort<Token>;
    burst!: LogicalAction<number>;
    #state = 1;

    start(): void {
      if (bursts > 0) this.burst.schedule(pause, bursts - 1);
    }

    react(ctx: NodeContext): void | Promise<void> {
      const tokens = names.map((name) => (this[name] as InputPort<Token>).value);
      const left = this.burst.value;
      for (const [at, token] of tokens.entries()) if (token) this.#mix(token.hash + at);
      this.#mix(ctx.now.time + ctx.now.microstep + Math.floor(ctx.random() * 1e6));
      const hops = Math.max(-1, ...tokens.map((token) => token?.hops ?? -1)) + 1;
      if (left !== undefined && left > 0) this.burst.schedule(pause, left - 1);
      const act = (): void => {
        if (hops <= 5 && this.#state % 4 !== 0) this.out.set({ hash: this.#state, hops });
      };
      if (this.#state % 3 !== 0) return act();
      return Promise.resolve().then(act);
    }

    stop(): void {
      this.#mix(99);
    }

    #mix(value: number): void {
      this.#state = Math.imul(this.#state ^ value, 0x01000193) >>> 0;
    }
  }
  const target = Node.prototype;
  for (const name of names) Input()(target, name);
  Output()(target, 'out');
  LogicalAction()(target, 'burst');
  const on = (key: 'start' | 'react' | 'stop'): [string, PropertyDescriptor] => [
    key,
    Object.getOwnPropertyDescriptor(target, key)!,
  ];
  OnStart()(target, ...on('start'));
  Reaction('burst', ...names)(target as never, ...on('react'));
  OnShutdown()(target, ...on('stop'));
  DataflowNode()(Node);
  return Node;
}
