import { span, type Tag } from '@roost/dataflow/core';
import { Behaviour, type Effect, type Message } from './behaviour.js';
import type { GraphPlan, NodePlan, ReactionPlan, TriggerPlan } from './random-graph.js';

export interface ReferenceRun {
  readonly status: 'completed' | 'stopped';
  readonly stopTag: Tag;
  readonly nodes: Readonly<Record<string, { tags: number; firings: number; log: readonly string[] }>>;
}

/** A due event: for a trigger, an input, an action or a scheduled function of a node. */
type Due = { readonly tag: Tag; readonly node: number } & (
  | { readonly trigger: TriggerPlan }
  | { readonly input: string; readonly edge: number; readonly value: Message }
  | { readonly action: string; readonly value: Message }
  | { readonly then: Message }
);

const isAfter = (a: Tag, b: Tag): boolean => a.time > b.time || (a.time === b.time && a.microstep > b.microstep);
const isAt = (a: Tag, b: Tag): boolean => a.time === b.time && a.microstep === b.microstep;
const later = ({ time, microstep }: Tag, delay: number): Tag =>
  delay > 0 ? { time: time + delay, microstep: 0 } : { time, microstep: microstep + 1 };

/**
 * Computes the expected run of a graph in the simplest way: takes all events of the earliest tag, lets the nodes react
 * one after another in an order in which no node depends on a later one, and repeats.
 *
 * @param draws the random numbers that each node gets
 */
export function interpret(plan: GraphPlan, draws: Readonly<Record<string, readonly number[]>>): ReferenceRun {
  const nodes = plan.nodes.map((node) => new ReferenceNode(node, [...(draws[node.name] ?? [])]));
  let due: Due[] = [];
  for (const [node, { reactions }] of plan.nodes.entries()) {
    for (const trigger of reactions.flatMap(({ triggers }) => triggers)) {
      if (trigger.kind === 'start') due.push({ node, trigger, tag: { time: 0, microstep: 0 } });
      if (trigger.kind === 'timer') due.push({ node, trigger, tag: { time: span.toNs(trigger.offset), microstep: 0 } });
    }
  }

  const limit: Tag = { time: plan.timeout === undefined ? Infinity : span.toNs(plan.timeout), microstep: 0 };
  let last: Tag = { time: 0, microstep: -1 };
  for (;;) {
    const first = due.reduce<Tag>((least, { tag }) => (isAfter(least, tag) ? tag : least), {
      time: Infinity,
      microstep: 0,
    });
    const isStopped = due.length > 0 && !isAfter(limit, first);
    const isOver = isStopped || due.length === 0;
    const tag = isStopped ? limit : isOver ? later(last.microstep < 0 ? { time: 0, microstep: 0 } : last, 0) : first;
    const here = due.filter((one) => isAt(one.tag, tag));
    due = due.filter((one) => !isAt(one.tag, tag));
    for (const [at, node] of nodes.entries()) {
      const effects = node.handle(
        tag,
        here.filter((one) => one.node === at),
        isOver,
      );
      for (const effect of effects) {
        for (const one of carryOut(plan, at, tag, effect, due)) (isAt(one.tag, tag) ? here : due).push(one);
      }
    }
    for (const { node, ...one } of here) {
      if ('trigger' in one && one.trigger.kind === 'timer' && one.trigger.period !== undefined) {
        due.push({ node, trigger: one.trigger, tag: { time: tag.time + span.toNs(one.trigger.period), microstep: 0 } });
      }
    }
    last = tag;
    if (!isOver) continue;
    return {
      status: isStopped ? 'stopped' : 'completed',
      stopTag: tag,
      nodes: Object.fromEntries(nodes.map(({ plan: { name }, tags, firings, log }) => [name, { tags, firings, log }])),
    };
  }
}

/**
 * Returns the events that an effect causes. An action and a connection have one event per tag; a second one gets a
 * later tag.
 */
function carryOut({ edges }: GraphPlan, node: number, tag: Tag, effect: Effect, due: readonly Due[]): Due[] {
  const freeFrom = (at: Tag, isTakenBy: (one: Due) => boolean): Tag => {
    while (due.some((one) => isAt(one.tag, at) && isTakenBy(one))) at = later(at, 0);
    return at;
  };
  const { value } = effect;
  if (effect.kind === 'then') return [{ node, tag: later(tag, span.toNs(effect.delay)), then: value }];
  if (effect.kind === 'schedule') {
    const { action, delay } = effect;
    const isTakenBy = (one: Due): boolean => one.node === node && 'action' in one && one.action === action;
    return [{ node, tag: freeFrom(later(tag, span.toNs(delay)), isTakenBy), action, value }];
  }
  return edges.flatMap(({ from, output, to, input, after }, edge): Due[] => {
    if (from !== node || output !== effect.output) return [];
    if (after === undefined) return [{ node: to, tag, input, edge, value }];
    return [
      {
        node: to,
        tag: freeFrom(later(tag, span.toNs(after)), (one) => 'edge' in one && one.edge === edge),
        input,
        edge,
        value,
      },
    ];
  });
}

class ReferenceNode {
  tags = 0;
  firings = 0;
  readonly #behaviour: Behaviour;
  readonly #retained = new Map<string, Message>();

  constructor(
    readonly plan: NodePlan,
    draws: number[],
  ) {
    this.#behaviour = new Behaviour(plan, () => draws.shift() ?? NaN);
  }

  get log(): readonly string[] {
    return this.#behaviour.log;
  }

  /** Handles a tag. @returns all effects of the node */
  handle(tag: Tag, here: readonly Due[], isOver: boolean): Effect[] {
    const inputs = new Map<string, Message[]>();
    for (const { name } of this.plan.inputs) {
      const arrived = here.flatMap((one) => ('input' in one && one.input === name ? [one] : []));
      const values = arrived.toSorted((a, b) => a.edge - b.edge).map(({ value }) => value);
      inputs.set(name, values);
      if (values[0]) this.#retained.set(name, values[0]);
    }
    const actions = new Map(here.flatMap((one) => ('action' in one ? [[one.action, one.value] as const] : [])));
    const before = this.firings;
    const effects: Effect[] = [];
    const then = here.flatMap((one) => ('then' in one ? [one.then] : []));
    if (then.length > 0) this.firings++;
    for (const value of then) effects.push(...this.#behaviour.continue(tag, value));

    const isOn = (trigger: TriggerPlan): boolean => {
      if (trigger.kind === 'shutdown') return isOver;
      if (trigger.kind !== 'member') return here.some((one) => 'trigger' in one && one.trigger === trigger);
      return actions.has(trigger.name) || (inputs.get(trigger.name)?.length ?? 0) > 0;
    };
    const last = (reaction: ReactionPlan): number => Number(reaction.triggers.some(({ kind }) => kind === 'shutdown'));
    for (const reaction of this.plan.reactions.toSorted((a, b) => last(a) - last(b))) {
      if (!reaction.triggers.some(isOn)) continue;
      this.firings++;
      effects.push(...this.#behaviour.react(reaction, this.#seenBy(reaction, tag, inputs, actions)));
    }
    if (this.firings > before) this.tags++;
    return effects;
  }

  #seenBy(
    { reads, triggers }: ReactionPlan,
    tag: Tag,
    inputs: ReadonlyMap<string, readonly Message[]>,
    actions: ReadonlyMap<string, Message>,
  ): Parameters<Behaviour['react']>[1] {
    const retains = new Map(this.plan.inputs.map(({ name, retain }) => [name, retain]));
    const members = triggers.flatMap((trigger) => (trigger.kind === 'member' ? [trigger.name] : []));
    return {
      tag,
      inputs: Object.fromEntries(
        reads.map((name) => {
          const values = inputs.get(name)!;
          return [name, { values, value: values[0] ?? (retains.get(name) ? this.#retained.get(name) : undefined) }];
        }),
      ),
      actions: Object.fromEntries(
        members.filter((name) => !reads.includes(name)).map((name) => [name, actions.get(name)]),
      ),
    };
  }
}
