import { type Span, span } from '@roost/dataflow/core';
import { Random } from '../soak/random.js';

/** A graph as plain data. A seed gives the same graph in every process. */
export interface GraphPlan {
  readonly seed: number;
  /** Nodes in an order such that connections without delay only lead forward. */
  readonly nodes: readonly NodePlan[];
  /** Indices of the nodes in the order in which they are added to the graph. */
  readonly order: readonly number[];
  /** Connections, in the order of the fan-in for each input. */
  readonly edges: readonly EdgePlan[];
  readonly timeout?: Span;
}

export interface NodePlan {
  readonly name: string;
  readonly inputs: readonly { readonly name: string; readonly retain: boolean }[];
  readonly outputs: readonly string[];
  readonly actions: readonly string[];
  readonly reactions: readonly ReactionPlan[];
}

export interface ReactionPlan {
  readonly name: string;
  readonly triggers: readonly TriggerPlan[];
  /** Inputs that it reads, including its triggers. */
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  /** Number that varies its behavior. */
  readonly salt: number;
}

export type TriggerPlan =
  | { readonly kind: 'start' | 'shutdown' }
  | { readonly kind: 'timer'; readonly offset: Span; readonly period: Span | undefined }
  | { readonly kind: 'member'; readonly name: string };

export interface EdgePlan {
  readonly from: number;
  readonly output: string;
  readonly to: number;
  readonly input: string;
  /** Delay, where 0 is one microstep. */
  readonly after: Span | undefined;
}

export const DELAYS = [
  span.ns(0),
  span.ns(0),
  span.ns(1),
  span.us(1),
  span.us(500),
  span.ms(1),
  span.ms(1),
  span.ms(2),
  span.ms(3),
] as const;
const OFFSETS = [span.ns(0), span.ns(0), span.us(500), span.ms(1), span.ms(2)] as const;
const PERIODS = [span.us(500), span.us(700), span.ms(1), span.ms(1), span.ms(2), span.ms(3)] as const;

export function planGraph(seed: number): GraphPlan {
  const random = new Random(seed);
  const size = random.between(2, 12);
  const mayRepeat = random.chance(0.6);
  const nodes = Array.from({ length: size }, (_, at) => planNode(random, at, mayRepeat));
  const timers = nodes.flatMap(({ reactions }) => reactions).flatMap(({ triggers }) => triggers);
  const isEndless = timers.some((trigger) => trigger.kind === 'timer' && trigger.period !== undefined);
  return {
    seed,
    nodes,
    order: shuffled(random, [...nodes.keys()]),
    edges: nodes.flatMap((_, at) => planEdges(random, nodes, at)),
    ...((isEndless || random.chance(0.3)) && { timeout: span.ms(random.between(2, 10)) }),
  };
}

function planNode(random: Random, at: number, mayRepeat: boolean): NodePlan {
  const some = (prefix: string, least: number, most: number): string[] =>
    Array.from({ length: random.between(least, most) }, (_, n) => `${prefix}${n}`);
  const inputs = some('in', at === 0 ? 0 : 1, 3).map((name) => ({ name, retain: random.chance(0.25) }));
  const outputs = some('out', at === 0 ? 1 : 0, 3);
  const actions = some('act', 0, 2);
  const names = inputs.map(({ name }) => name);
  const members = [...names, ...actions];
  const isEager = at === 0 || random.chance(0.3);

  const reactions = some('react', 1, 4).map((name, n): ReactionPlan => {
    const triggering = members.filter(() => random.chance(0.5));
    const triggers: TriggerPlan[] = triggering.map((member) => ({ kind: 'member', name: member }));
    if (random.chance(0.15) || (isEager && n === 0)) triggers.push({ kind: 'start' });
    if (random.chance(isEager ? 0.5 : 0.15)) triggers.push(planTimer(random, mayRepeat));
    if (triggers.length === 0) triggers.push({ kind: 'start' });
    return {
      name,
      triggers,
      reads: names.filter((input) => triggering.includes(input) || random.chance(0.3)),
      writes: outputs.filter(() => random.chance(0.7)),
      salt: random.between(0, 1e9),
    };
  });
  if (random.chance(0.4)) {
    reactions.splice(random.between(0, reactions.length), 0, {
      name: 'shutdown',
      triggers: [{ kind: 'shutdown' }],
      reads: names.filter(() => random.chance(0.5)),
      writes: outputs.filter(() => random.chance(0.3)),
      salt: random.between(0, 1e9),
    });
  }
  return { name: `n${at}`, inputs, outputs, actions, reactions };
}

const planTimer = (random: Random, mayRepeat: boolean): TriggerPlan => ({
  kind: 'timer',
  offset: random.pick(OFFSETS),
  period: mayRepeat && random.chance(0.6) ? random.pick(PERIODS) : undefined,
});

function planEdges(random: Random, nodes: readonly NodePlan[], to: number): EdgePlan[] {
  const sources = nodes.flatMap(({ outputs }, from) => outputs.map((output) => ({ from, output })));
  return nodes[to]!.inputs.flatMap(({ name }) => {
    const count = random.pick([0, 1, 1, 1, 1, 1, 2, 3]);
    return shuffled(random, sources)
      .slice(0, count)
      .map(({ from, output }): EdgePlan => {
        const isDelayed = from >= to || random.chance(0.4);
        return { from, output, to, input: name, after: isDelayed ? random.pick(DELAYS) : undefined };
      });
  });
}

/** Distributes the nodes at random over up to this many processes. */
export function placeGraph({ nodes, seed }: GraphPlan, processes: number): Record<string, string[]> {
  const random = new Random(seed ^ 0x5bd1e995);
  const placement: Record<string, string[]> = {};
  for (const { name } of nodes) (placement[`p${random.between(1, processes)}`] ??= []).push(name);
  return placement;
}

function shuffled<T>(random: Random, items: readonly T[]): T[] {
  const rest = [...items];
  return items.map(() => rest.splice(random.between(0, rest.length - 1), 1)[0]!);
}
