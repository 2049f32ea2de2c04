import type { CrashPolicy, InputOptions, NodeClass, NodeDeclaration, Trigger } from '../node/declaration.js';
import type { Delay } from '../time/tag.js';

/** A graph that has passed every check. It is immutable, and all processes of a run have the same one. */
export interface GraphModel {
  readonly nodes: readonly NodeModel[];
  readonly edges: readonly EdgeModel[];
  /** Hash of the graph, which all processes of a run must share. */
  readonly version: string;
}

export interface NodeModel {
  readonly index: number;
  readonly name: string;
  readonly type: NodeClass;
  readonly declaration: NodeDeclaration;
  readonly onCrash: CrashPolicy;
  readonly realTime: boolean;
  readonly inputs: readonly InputModel[];
  readonly outputs: readonly OutputModel[];
  readonly actions: readonly ActionModel[];
  /** Reactions in execution order. The first one runs the functions passed to `ctx.schedule()` and has no method. */
  readonly reactions: readonly ReactionModel[];
}

export interface InputModel {
  readonly name: string;
  readonly options: InputOptions;
  /** Connections in the order of the fan-in. */
  readonly edges: readonly EdgeModel[];
}

export interface OutputModel {
  readonly name: string;
  readonly edges: readonly EdgeModel[];
}

export interface ActionModel {
  readonly name: string;
  readonly isPhysical: boolean;
}

export interface ReactionModel {
  readonly node: NodeModel;
  readonly method: string;
  readonly triggers: readonly Trigger[];
  /** Indices of the inputs that it may read. */
  readonly reads: ReadonlySet<number>;
  /** Indices of the outputs that it may write. */
  readonly writes: ReadonlySet<number>;
  /** Reactions of the same level do not affect each other within a tag. */
  readonly level: number;
  /** Position among all reactions of the graph, ordered by level. */
  readonly rank: number;
}

export interface EdgeModel {
  readonly index: number;
  readonly from: NodeModel;
  readonly output: number;
  readonly to: NodeModel;
  readonly input: number;
  /** Position in the fan-in of its input. */
  readonly position: number;
  readonly delay: Delay;
  /** Whether messages get their tags from the receiver's clock. */
  readonly isPhysical: boolean;
}

/** `source.out → sink.in` */
export const describeEdge = ({ from, output, to, input }: EdgeModel): string =>
  `${from.name}.${from.outputs[output]!.name} → ${to.name}.${to.inputs[input]!.name}`;
