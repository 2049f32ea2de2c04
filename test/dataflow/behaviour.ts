import type { PlainData, Span, Tag } from '@roost/dataflow/core';
import { DELAYS, type NodePlan, type ReactionPlan } from './random-graph.js';

/** A message between nodes of a random graph. It ends after the given number of hops. */
export type Message = { readonly hops: number; readonly n: number; readonly extra: PlainData };

/** The ports and actions that a reaction may read, at its tag. */
export interface Seen {
  readonly tag: Tag;
  readonly inputs: Readonly<Record<string, { value: Message | undefined; values: readonly Message[] }>>;
  readonly actions: Readonly<Record<string, Message | undefined>>;
}

export type Effect =
  | { readonly kind: 'set'; readonly output: string; readonly value: Message }
  | { readonly kind: 'schedule'; readonly action: string; readonly delay: Span; readonly value: Message }
  | { readonly kind: 'then'; readonly delay: Span; readonly value: Message };

/** Limits the effects, so that a graph in which every event causes another one ends. */
const MOST_EFFECTS = 40;

/** Behavior of a node of a random graph. It depends on everything that the node has ever seen. */
export class Behaviour {
  /** One line for each reaction that ran. */
  readonly log: string[] = [];
  /** Random numbers drawn so far, to repeat them. */
  readonly draws: number[] = [];
  #state = 1;
  #effects = 0;
  /** Outputs written at the current tag. */
  readonly #written = new Map<string, string>();

  constructor(
    private readonly plan: NodePlan,
    private readonly random: () => number,
  ) {}

  react({ name, salt, triggers, writes }: ReactionPlan, seen: Seen): Effect[] {
    const here = [...Object.values(seen.inputs).flatMap(({ values }) => values), ...Object.values(seen.actions)];
    const hops = Math.max(-1, ...here.flatMap((message) => (message ? [message.hops] : []))) - 1;
    const isRoot = triggers.some(({ kind }) => kind !== 'member');
    return this.#act(name, salt, showSeen(seen), keyOf(seen.tag), isRoot ? Math.max(hops, 3) : hops, writes);
  }

  /** Runs a function that was scheduled with `ctx.schedule()`. */
  continue(tag: Tag, value: Message): Effect[] {
    return this.#act('then', 7, show(value), keyOf(tag), value.hops - 1, this.plan.outputs);
  }

  #act(what: string, salt: number, seen: string, tag: string, hops: number, writes: readonly string[]): Effect[] {
    this.log.push(`${what}@${tag} ${seen}`);
    let bits = (this.#state = fold(this.#state ^ salt, `${what} ${tag} ${seen}`));
    if (salt % 3 === 0) {
      const draw = this.random();
      this.draws.push(draw);
      bits = this.#state = fold(this.#state, String(draw));
    }
    const effects: Effect[] = [];
    if (hops <= 0) return effects;
    const chance = (percent: number): boolean => (bits = fold(bits, 'next')) % 100 < percent;
    const delay = (): Span => DELAYS[(bits = fold(bits, 'delay')) % DELAYS.length]!;
    const message = (): Message => ({ hops, n: (bits = fold(bits, 'n')), extra: extraOf(bits) });
    for (const output of writes) {
      if (this.#written.get(output) === tag || !chance(65)) continue;
      this.#written.set(output, tag);
      effects.push({ kind: 'set', output, value: message() });
    }
    for (const action of this.plan.actions) {
      if (chance(30)) effects.push({ kind: 'schedule', action, delay: delay(), value: message() });
    }
    if (chance(12)) effects.push({ kind: 'then', delay: delay(), value: message() });
    this.#effects += effects.length;
    return this.#effects > MOST_EFFECTS ? [] : effects;
  }
}

const keyOf = ({ time, microstep }: Tag): string => `${time}:${microstep}`;

/** Returns plain data of every kind. */
function extraOf(n: number): PlainData {
  switch (n % 12) {
    case 0:
      return 'x'.repeat(n % 40) + 'é€😀';
    case 1:
      return BigInt(n) * -12_345_678_901_234_567n;
    case 2:
      return new Uint8Array([n & 255, (n >> 8) & 255, 0]);
    case 3:
      return { nested: [n, { deep: null }, undefined], key: undefined };
    case 4:
      return [NaN, -0, Infinity, 1 / 3, Number.MIN_VALUE];
    case 5:
      return n % 2 === 0;
    case 6:
      return { bytes: [new Uint8Array([n & 255])], big: [BigInt(n)] };
    default:
      return undefined;
  }
}

export const showSeen = ({ inputs, actions }: Seen): string =>
  [
    ...Object.entries(inputs).map(
      ([name, { value, values }]) => `${name}=${show(value)}/${values.map(show).join('|')}`,
    ),
    ...Object.entries(actions).map(([name, value]) => `${name}=${show(value)}`),
  ].join(' ');

function show(value: PlainData | Message): string {
  if (value instanceof Uint8Array) return `bytes(${value.join()})`;
  if (Array.isArray(value)) return `[${(value as PlainData[]).map(show).join()}]`;
  if (typeof value === 'object' && value !== null) {
    return `{${Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => `${key}:${show(item)}`)
      .join()}}`;
  }
  return Object.is(value, -0) ? '-0' : `${typeof value} ${String(value)}`;
}

/** Returns a 31-bit integer. */
function fold(state: number, text: string): number {
  for (let i = 0; i < text.length; i++) state = Math.imul(state ^ text.charCodeAt(i), 0x01000193);
  state ^= state >>> 13;
  state = Math.imul(state, 0x5bd1e995);
  return (state ^ (state >>> 15)) & 0x7fffffff;
}
