import { ZeroDelayCycleError } from '../errors/zero-delay-cycle.error.js';
import { isSame, NO_DELAY } from '../time/tag.js';
import type { NodeModel, ReactionModel } from './model.js';

interface Influence {
  readonly on: ReactionModel;
  /** Ports on the path, for an error message. */
  readonly via: readonly string[];
}

/**
 * Assigns every reaction a level above all reactions that must run before it at the same tag: earlier reactions of its
 * node, and reactions whose outputs it may read.
 *
 * @throws ZeroDelayCycleError
 */
export function assignLevels(nodes: readonly NodeModel[]): void {
  const reactions = nodes.flatMap((node) => node.reactions);
  const influences = new Map(reactions.map((reaction) => [reaction, influencesOf(reaction)]));
  const waitsFor = new Map(reactions.map((reaction) => [reaction, 0]));
  for (const { on } of [...influences.values()].flat()) waitsFor.set(on, waitsFor.get(on)! + 1);

  const order = reactions.filter((reaction) => waitsFor.get(reaction) === 0);
  for (const reaction of order) {
    for (const { on } of influences.get(reaction)!) {
      (on as { level: number }).level = Math.max(on.level, reaction.level + 1);
      const left = waitsFor.get(on)! - 1;
      waitsFor.set(on, left);
      if (left === 0) order.push(on);
    }
  }
  if (order.length < reactions.length) throw new ZeroDelayCycleError(cycleAmong(influences, waitsFor));
  const ranked = reactions.toSorted((a, b) => a.level - b.level || a.node.index - b.node.index);
  for (const [rank, reaction] of ranked.entries()) (reaction as { rank: number }).rank = rank;
}

function influencesOf(reaction: ReactionModel): Influence[] {
  const { node, writes } = reaction;
  const next = node.reactions[node.reactions.indexOf(reaction) + 1];
  const found: Influence[] = next ? [{ on: next, via: [] }] : [];
  for (const output of writes) {
    for (const { to, input, delay, isPhysical } of node.outputs[output]!.edges) {
      if (isPhysical || !isSame(delay, NO_DELAY)) continue;
      const via = [`${node.name}.${node.outputs[output]!.name}`, `${to.name}.${to.inputs[input]!.name}`];
      for (const on of to.reactions) if (on.reads.has(input)) found.push({ on, via });
    }
  }
  return found;
}

/** Returns one cycle among the reactions that still wait for another one. */
function cycleAmong(influences: Map<ReactionModel, Influence[]>, waitsFor: Map<ReactionModel, number>): string[] {
  const isStuck = (reaction: ReactionModel): boolean => waitsFor.get(reaction)! > 0;
  // Every stuck reaction has a stuck predecessor, so a walk backwards must reach a cycle.
  const cause = new Map<ReactionModel, { by: ReactionModel; via: readonly string[] }>();
  for (const [by, all] of influences) {
    if (isStuck(by)) for (const { on, via } of all) if (isStuck(on)) cause.set(on, { by, via });
  }
  const seen = new Set<ReactionModel>();
  let at = cause.keys().next().value!;
  while (!seen.has(at)) {
    seen.add(at);
    at = cause.get(at)!.by;
  }
  const path = [show(at)];
  let step = cause.get(at)!;
  do {
    path.unshift(show(step.by), ...step.via);
    at = step.by;
    step = cause.get(at)!;
  } while (path[0] !== path.at(-1));
  return path;
}

/** Nothing precedes the reaction for `ctx.schedule()`, so it is on no cycle and every reaction here has a method. */
const show = ({ node, method }: ReactionModel): string => `${node.name}.${method}()`;
