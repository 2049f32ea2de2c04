import { check } from '../option-checks.js';

/** A class of nodes. @publicApi */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- the factory decides on the constructor parameters
export type NodeClass<T extends object = object> = abstract new (...args: any[]) => T;

/** Trigger of a reaction. */
export type Trigger =
  | { readonly kind: 'start' }
  | { readonly kind: 'shutdown' }
  /** In nanoseconds. */
  | { readonly kind: 'timer'; readonly offset: number; readonly period: number | undefined }
  /** A port or an action, by its property. */
  | { readonly kind: 'member'; readonly name: string };

/** Options of a reaction. @publicApi */
export interface ReactionOptions {
  /** Inputs that the reaction reads besides its triggers. Reading any other input is an error. @default [] */
  reads?: readonly string[];
  /**
   * Outputs that the reaction may write. A shorter list allows more feedback loops.
   *
   * @default all, none for `@OnShutdown()`
   */
  writes?: readonly string[];
}

/** Options of an input. @publicApi */
export interface InputOptions {
  /** Whether to keep the last value while the port is absent. @default false */
  retain?: boolean;
  /**
   * Name of a method that handles a message that arrives too late for its tag: `(value, tag) => void`. Without it, a
   * late message stops the graph.
   */
  onLate?: string;
}

export interface ReactionDeclaration {
  readonly method: string;
  readonly triggers: readonly Trigger[];
  readonly reads: readonly string[];
  readonly writes: readonly string[] | undefined;
}

/** The merged declarations of a class and its base classes, base classes first. */
export interface NodeDeclaration {
  readonly inputs: ReadonlyMap<string, InputOptions>;
  readonly outputs: ReadonlySet<string>;
  readonly logicalActions: ReadonlySet<string>;
  readonly physicalActions: ReadonlySet<string>;
  /** Reactions in the order in which they run at a tag. */
  readonly reactions: readonly ReactionDeclaration[];
}

/**
 * How the run reacts when the process of a node is lost:
 *
 * - `'fail'`: it stops by force;
 * - `'restart'`: it waits for the process to be restarted, up to `restartTimeoutMs`. State in memory is lost;
 * - `'treatAsDone'`: it continues without the node.
 *
 * @publicApi
 */
export type CrashPolicy = 'fail' | 'restart' | 'treatAsDone';

/** Options of a node. @publicApi */
export interface NodeOptions {
  /** Name for logs, traces, placement and errors. @default the class name in kebab-case without the suffix "Node" */
  name?: string;
  /** How the run reacts when the process of the node crashes or falls silent. @default 'fail' */
  onCrash?: CrashPolicy;
  /** Whether to wait for the time of each tag on the clock, even in a `fast` graph. @default false */
  realTime?: boolean;
}

/** @throws InvalidDataflowOptionError */
export const assertNodeOptions = (options: NodeOptions, where: string): void =>
  check.knownKeys(options, ['name', 'onCrash', 'realTime'], where);

class MutableDeclaration {
  options: NodeOptions | undefined;
  readonly inputs = new Map<string, InputOptions>();
  readonly outputs = new Set<string>();
  readonly logicalActions = new Set<string>();
  readonly physicalActions = new Set<string>();
  readonly reactions = new Map<string, ReactionDeclaration>();
}

/** A fixed key, so that two installed copies of the library share declarations. */
const DECLARED = Symbol.for('roost:dataflow-node');
type Declaring = { [DECLARED]?: MutableDeclaration };

/** Returns the class's own declaration, for a decorator to extend. */
export function declareOn(type: object): MutableDeclaration {
  if (!Object.hasOwn(type, DECLARED)) {
    Object.defineProperty(type, DECLARED, { value: new MutableDeclaration() });
  }
  return (type as Declaring)[DECLARED]!;
}

/** Adds a trigger to a reaction. Several decorators on one method make one reaction with several triggers. */
export function declareReaction(
  type: object,
  method: string,
  trigger: Trigger | readonly Trigger[],
  options: ReactionOptions,
): void {
  const { reactions } = declareOn(type);
  const { triggers = [], reads = [], writes } = reactions.get(method) ?? {};
  reactions.set(method, {
    method,
    triggers: [...triggers, ...(Array.isArray(trigger) ? (trigger as Trigger[]) : [trigger as Trigger])],
    reads: [...reads, ...(options.reads ?? [])],
    writes: options.writes ? [...(writes ?? []), ...options.writes] : writes,
  });
}

/** Undefined if the class itself has no `@DataflowNode()`. */
export const nodeOptionsOf = (type: object): NodeOptions | undefined =>
  Object.hasOwn(type, DECLARED) ? (type as Declaring)[DECLARED]!.options : undefined;

export function declarationOf(type: object): NodeDeclaration {
  const merged = new MutableDeclaration();
  for (const { inputs, outputs, logicalActions, physicalActions, reactions } of inherited(type)) {
    for (const [name, options] of inputs) merged.inputs.set(name, options);
    for (const name of outputs) merged.outputs.add(name);
    for (const name of logicalActions) merged.logicalActions.add(name);
    for (const name of physicalActions) merged.physicalActions.add(name);
    // A subclass that redeclares a method changes its triggers, but not its position in the order.
    for (const [method, reaction] of reactions) merged.reactions.set(method, reaction);
  }
  return { ...merged, reactions: [...merged.reactions.values()] };
}

function inherited(type: object): MutableDeclaration[] {
  const found: MutableDeclaration[] = [];
  for (let at: object | null = type; at; at = Object.getPrototypeOf(at) as object | null) {
    if (Object.hasOwn(at, DECLARED)) found.unshift((at as Declaring)[DECLARED]!);
  }
  return found;
}
