import { check } from '../option-checks.js';

/** A class of nodes. @publicApi */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- the parameters are the business of whoever makes it
export type NodeClass<T extends object = object> = abstract new (...args: any[]) => T;

/** What sets off a reaction. */
export type Trigger =
  | { readonly kind: 'start' }
  | { readonly kind: 'shutdown' }
  /** In nanoseconds. */
  | { readonly kind: 'timer'; readonly offset: number; readonly period: number | undefined }
  /** A port or an action, by its property. */
  | { readonly kind: 'member'; readonly name: string };

/** @publicApi */
export interface ReactionOptions {
  /** Inputs that the reaction looks at besides those that trigger it. Looking at others is an error. @default [] */
  reads?: readonly string[];
  /** Outputs that the reaction may write. Fewer make more feedback loops possible. @default all, none for `@OnShutdown()` */
  writes?: readonly string[];
}

/** @publicApi */
export interface InputOptions {
  /** Keep the last value while the port is absent. @default false */
  retain?: boolean;
  /**
   * Name of a method that takes a message which came too late to be handled at its tag: `(value, tag) => void`.
   * Without one a late message stops the graph.
   */
  onLate?: string;
}

export interface ReactionDeclaration {
  readonly method: string;
  readonly triggers: readonly Trigger[];
  readonly reads: readonly string[];
  readonly writes: readonly string[] | undefined;
}

/** What the decorators of a class say, its base classes' first. */
export interface NodeDeclaration {
  readonly inputs: ReadonlyMap<string, InputOptions>;
  readonly outputs: ReadonlySet<string>;
  readonly logicalActions: ReadonlySet<string>;
  readonly physicalActions: ReadonlySet<string>;
  /** In the order in which they run at a tag. */
  readonly reactions: readonly ReactionDeclaration[];
}

/** What becomes of a graph when the process of a node is gone. @publicApi */
export type CrashPolicy = 'fail' | 'restart' | 'treatAsDone';

/** @publicApi */
export interface NodeOptions {
  /** For logs, traces, placement and errors. @default the class name in kebab-case without the suffix "Node" */
  name?: string;
  /** What happens when the process of the node crashes or falls silent. @default 'fail' */
  onCrash?: CrashPolicy;
  /** Never handle a tag before its time has come on the clock, even in a graph that runs as fast as it can. @default false */
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

/** Fixed, so that two installed copies of the library still meet. */
const DECLARED = Symbol.for('roost:dataflow-node');
type Declaring = { [DECLARED]?: MutableDeclaration };

/** What a class itself has declared, for a decorator to add to. */
export function declareOn(type: object): MutableDeclaration {
  if (!Object.hasOwn(type, DECLARED)) {
    Object.defineProperty(type, DECLARED, { value: new MutableDeclaration() });
  }
  return (type as Declaring)[DECLARED]!;
}

/** Several decorators on one method make one reaction with several triggers. */
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

/** Nothing when the class has no `@DataflowNode()` of its own. */
export const nodeOptionsOf = (type: object): NodeOptions | undefined =>
  Object.hasOwn(type, DECLARED) ? (type as Declaring)[DECLARED]!.options : undefined;

export function declarationOf(type: object): NodeDeclaration {
  const merged = new MutableDeclaration();
  for (const { inputs, outputs, logicalActions, physicalActions, reactions } of inherited(type)) {
    for (const [name, options] of inputs) merged.inputs.set(name, options);
    for (const name of outputs) merged.outputs.add(name);
    for (const name of logicalActions) merged.logicalActions.add(name);
    for (const name of physicalActions) merged.physicalActions.add(name);
    // A subclass that declares a method anew changes what it reacts to, not when its turn is.
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
