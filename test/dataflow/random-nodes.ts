import {
  DataflowNode,
  type GraphBuilder,
  Input,
  type InputPort,
  type InputRef,
  LogicalAction,
  type MergedOutput,
  type NodeAction,
  type NodeClass,
  type NodeContext,
  OnShutdown,
  OnStart,
  OnTimer,
  Output,
  type OutputPort,
  type OutputRef,
  Reaction,
} from '@roost/dataflow/core';
import { Behaviour, type Effect, type Message, type Seen, showSeen } from './behaviour.js';
import type { GraphPlan, NodePlan, ReactionPlan, TriggerPlan } from './random-graph.js';

/** Called where a reaction may wait. It must not affect the result. */
export type Wait = () => Promise<void> | undefined;

/** A node of a random graph, with its members by name. */
export class RandomNode {
  behaviour!: Behaviour;
  [member: string]: unknown;
}

/** Describes the graph to a builder. */
export const graphOf =
  ({ nodes, order, edges }: GraphPlan, wait: Wait) =>
  (g: GraphBuilder): void => {
    const handles: Record<string, OutputRef<unknown> & InputRef<unknown>>[] = [];
    for (const at of order) handles[at] = g.node(classOf(nodes[at]!, wait), { name: nodes[at]!.name }) as never;
    for (const [to, { inputs }] of nodes.entries()) {
      for (const { name } of inputs) {
        const sources = edges
          .filter((edge) => edge.to === to && edge.input === name)
          .map(({ from, output, after }): MergedOutput<unknown> => ({ from: handles[from]![output]!, after }));
        const [only] = sources;
        if (only && sources.length === 1) g.connect(only.from, handles[to]![name]!, { after: only.after });
        else g.merge(sources, handles[to]![name]!);
      }
    }
  };

/** Creates the class that `@DataflowNode() class …` would declare. */
function classOf(plan: NodePlan, wait: Wait): NodeClass {
  class Node extends RandomNode {}
  const target = Node.prototype as object as Record<string, never>;
  for (const { name, retain } of plan.inputs) Input({ retain })(target, name);
  for (const name of plan.outputs) Output()(target, name);
  for (const name of plan.actions) LogicalAction()(target, name);
  for (const reaction of plan.reactions) {
    const value = function (this: RandomNode, ctx: NodeContext): void | Promise<void> {
      return perform(this, plan, reaction, ctx, wait);
    };
    const descriptor = { value, configurable: true, writable: true };
    Object.defineProperty(target, reaction.name, descriptor);
    for (const trigger of reaction.triggers) decoratorOf(trigger, reaction)(target as never, reaction.name, descriptor);
  }
  DataflowNode()(Node);
  return Node;
}

type OnRandomNode = (target: never, key: string, descriptor: PropertyDescriptor) => void;

function decoratorOf(trigger: TriggerPlan, { reads, writes }: ReactionPlan): OnRandomNode {
  switch (trigger.kind) {
    case 'start':
      return OnStart({ reads, writes });
    case 'shutdown':
      return OnShutdown({ reads, writes });
    case 'timer':
      return OnTimer({ offset: trigger.offset, period: trigger.period, reads, writes });
    default:
      return Reaction(trigger.name, { reads, writes });
  }
}

function perform(
  node: RandomNode,
  plan: NodePlan,
  reaction: ReactionPlan,
  ctx: NodeContext,
  wait: Wait,
): void | Promise<void> {
  node.behaviour ??= new Behaviour(plan, () => ctx.random());
  const seen = look(node, reaction, ctx);
  const act = (): void => carryOut(node, node.behaviour.react(reaction, seen), ctx);
  const waiting = wait();
  if (!waiting) return act();
  return waiting.then(() => {
    const [before, after] = [showSeen(seen), showSeen(look(node, reaction, ctx))];
    if (after !== before) throw new Error(`the inputs changed while the reaction waited: ${before} became ${after}`);
    act();
  });
}

function look(node: RandomNode, { reads, triggers }: ReactionPlan, { now }: NodeContext): Seen {
  const isInput = new Set(reads);
  const actions = triggers.flatMap((trigger) =>
    trigger.kind === 'member' && !isInput.has(trigger.name) ? [trigger.name] : [],
  );
  return {
    tag: now,
    inputs: Object.fromEntries(
      reads.map((name) => {
        const { value, values } = node[name] as InputPort<Message>;
        return [name, { value, values }];
      }),
    ),
    actions: Object.fromEntries(actions.map((name) => [name, (node[name] as NodeAction<Message>).value])),
  };
}

function carryOut(node: RandomNode, effects: readonly Effect[], ctx: NodeContext): void {
  for (const effect of effects) {
    if (effect.kind === 'set') (node[effect.output] as OutputPort<Message>).set(effect.value);
    else if (effect.kind === 'schedule')
      ctx.schedule(effect.delay, node[effect.action] as NodeAction<Message>, effect.value);
    else ctx.schedule(effect.delay, (then) => carryOut(node, node.behaviour.continue(then.now, effect.value), then));
  }
}
