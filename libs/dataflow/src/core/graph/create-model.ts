import { createHash } from 'node:crypto';
import { AmbiguousMemberError } from '../errors/ambiguous-member.error.js';
import { InvalidDataflowOptionError } from '../errors/invalid-dataflow-option.error.js';
import { UnknownPortError } from '../errors/unknown-port.error.js';
import type { CrashPolicy, NodeClass, NodeDeclaration, ReactionDeclaration, Trigger } from '../node/declaration.js';
import { check } from '../option-checks.js';
import { isSpan } from '../time/span.js';
import type { Delay } from '../time/tag.js';
import { assignLevels } from './levels.js';
import type { ActionModel, EdgeModel, GraphModel, InputModel, NodeModel, OutputModel, ReactionModel } from './model.js';

/** A node as requested from the builder. */
export interface NodeDraft {
  readonly name: string;
  readonly type: NodeClass;
  readonly declaration: NodeDeclaration;
  readonly onCrash?: CrashPolicy;
  readonly realTime?: boolean;
}

interface PortOfDraft {
  readonly node: NodeDraft;
  readonly name: string;
}

export interface Connection {
  readonly from: PortOfDraft;
  readonly to: PortOfDraft;
  readonly delay: Delay;
  readonly isPhysical: boolean;
}

/**
 * Checks a graph and builds its model.
 *
 * @throws ZeroDelayCycleError, UnknownPortError, AmbiguousMemberError, InvalidDataflowOptionError
 */
export function createModel(drafts: readonly NodeDraft[], connections: readonly Connection[]): GraphModel {
  if (drafts.length === 0)
    throw new InvalidDataflowOptionError('graph', 'empty', 'a function that adds at least one node');
  const nodes = new Map(drafts.map((draft, index) => [draft, createNode(draft, index)]));
  const edges: EdgeModel[] = [];
  for (const { from, to, delay, isPhysical } of connections) {
    const [sender, receiver] = [nodes.get(from.node)!, nodes.get(to.node)!];
    const output = sender.outputs.findIndex(({ name }) => name === from.name);
    const input = receiver.inputs.findIndex(({ name }) => name === to.name);
    const position = receiver.inputs[input]!.edges.length;
    const edge = { index: edges.length, from: sender, output, to: receiver, input, position, delay, isPhysical };
    edges.push(edge);
    (sender.outputs[output]!.edges as EdgeModel[]).push(edge);
    (receiver.inputs[input]!.edges as EdgeModel[]).push(edge);
  }
  const models = [...nodes.values()];
  assignLevels(models);
  return { nodes: models, edges, version: versionOf(models, edges) };
}

const CRASH_POLICIES: readonly CrashPolicy[] = ['fail', 'restart', 'treatAsDone'];

function createNode(draft: NodeDraft, index: number): NodeModel {
  const { name, type, declaration, onCrash = 'fail', realTime = false } = draft;
  check.oneOf(onCrash, CRASH_POLICIES, `onCrash of node "${name}"`);
  check.boolean(realTime, `realTime of node "${name}"`);
  const inputs = [...declaration.inputs].map(([port, options]): InputModel => ({ name: port, options, edges: [] }));
  const outputs = [...declaration.outputs].map((port): OutputModel => ({ name: port, edges: [] }));
  const actions: ActionModel[] = [
    ...[...declaration.logicalActions].map((action) => ({ name: action, isPhysical: false })),
    ...[...declaration.physicalActions].map((action) => ({ name: action, isPhysical: true })),
  ];
  const names = [...inputs, ...outputs, ...actions].map((member) => member.name);
  const twice = names.find((member, at) => names.indexOf(member) !== at);
  if (twice !== undefined) throw new AmbiguousMemberError(name, twice);
  if (onCrash === 'restart' && actions.length > 0) {
    const expected = `another policy, because events that "${name}" schedules (${actions[0]!.name}) are lost when its process crashes`;
    throw new InvalidDataflowOptionError(`onCrash of node "${name}"`, onCrash, expected);
  }
  const reactions: ReactionModel[] = [];
  const node: NodeModel = { index, name, type, declaration, onCrash, realTime, inputs, outputs, actions, reactions };
  for (const one of [SCHEDULED, ...inOrder(declaration.reactions)]) reactions.push(createReaction(node, one));
  for (const { name: port, options } of inputs) assertMethod(node, options.onLate, `onLate of input "${port}"`);
  return node;
}

/** Stands for the functions passed to `ctx.schedule()`. They run first at a tag and may write every output. */
const SCHEDULED: ReactionDeclaration = { method: '', triggers: [], reads: [], writes: undefined };

/** Moves shutdown reactions to the end, regardless of their place in the class. */
const inOrder = (reactions: readonly ReactionDeclaration[]): ReactionDeclaration[] => [
  ...reactions.filter((one) => !isShutdown(one)),
  ...reactions.filter(isShutdown),
];
const isShutdown = ({ triggers }: ReactionDeclaration): boolean => triggers.some(({ kind }) => kind === 'shutdown');

function createReaction(node: NodeModel, { method, triggers, reads, writes }: ReactionDeclaration): ReactionModel {
  const inputs = node.inputs.map(({ name }) => name);
  const outputs = node.outputs.map(({ name }) => name);
  const triggering = triggers.flatMap((trigger) => (trigger.kind === 'member' ? [trigger.name] : []));
  const known = [...inputs, ...node.actions.map(({ name }) => name)];
  for (const name of triggering) assertKnown(node, name, known);
  for (const name of reads) assertKnown(node, name, inputs);
  for (const name of writes ?? []) assertKnown(node, name, outputs);
  for (const trigger of triggers) assertTimer(node, method, trigger);
  const indices = (all: readonly string[], some: readonly string[]): Set<number> =>
    new Set(some.map((name) => all.indexOf(name)).filter((at) => at >= 0));
  return {
    node,
    method,
    triggers,
    reads: indices(inputs, [...triggering, ...reads]),
    writes: indices(outputs, writes ?? outputs),
    level: 0,
    rank: 0,
  };
}

function assertKnown(node: NodeModel, name: string, known: readonly string[]): void {
  if (!known.includes(name)) throw new UnknownPortError(node.name, name, known);
}

function assertTimer({ name }: NodeModel, method: string, trigger: Trigger): void {
  if (trigger.kind !== 'timer') return;
  const { offset, period } = trigger;
  if (!isSpan(offset)) {
    throw new InvalidDataflowOptionError(`offset of timer ${name}.${method}`, offset, 'a span such as span.ms(0)');
  }
  if (period !== undefined && (!isSpan(period) || period <= 0)) {
    const expected = 'a span above 0 such as span.ms(10)';
    throw new InvalidDataflowOptionError(`period of timer ${name}.${method}`, period, expected);
  }
}

function assertMethod({ name, type }: NodeModel, method: string | undefined, option: string): void {
  if (method === undefined || typeof (type.prototype as Record<string, unknown>)[method] === 'function') return;
  throw new InvalidDataflowOptionError(`${option} of node "${name}"`, method, `the name of a method of ${type.name}`);
}

/** Hash of everything that determines the trace, except the code of the reactions. */
function versionOf(nodes: readonly NodeModel[], edges: readonly EdgeModel[]): string {
  const shape = {
    nodes: nodes.map(({ name, inputs, outputs, actions, reactions }) => [
      name,
      inputs.map((input) => [input.name, input.options]),
      outputs.map((output) => output.name),
      actions,
      reactions.map(({ method, triggers, reads, writes }) => [method, triggers, [...reads], [...writes]]),
    ]),
    edges: edges.map(({ from, output, to, input, delay, isPhysical }) => [
      from.index,
      output,
      to.index,
      input,
      delay,
      isPhysical,
    ]),
  };
  return createHash('sha256').update(JSON.stringify(shape)).digest('hex').slice(0, 16);
}
