import type { CrashPolicy, InputOptions, NodeClass, NodeDeclaration, Trigger } from '../node/declaration.js';
import type { Delay } from '../time/tag.js';

/** A graph that has passed every check. Nothing in it changes any more, and every process that has it has the same. */
export interface GraphModel {
  readonly nodes: readonly NodeModel[];
  readonly edges: readonly EdgeModel[];
  /** Processes of one run must agree on it. */
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
  /** The first is for what `ctx.schedule()` was given: it has no method. */
  readonly reactions: readonly ReactionModel[];
}

export interface InputModel {
  readonly name: string;
  readonly options: InputOptions;
  /** In the order of fan-in. */
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
  /** Inputs it may look at, by index. */
  readonly reads: ReadonlySet<number>;
  /** Outputs it may write, by index. */
  readonly writes: ReadonlySet<number>;
  /** Reactions of one level do not influence each other within a tag. */
  readonly level: number;
  /** Orders all reactions of the graph by level. */
  readonly rank: number;
}

export interface EdgeModel {
  readonly index: number;
  readonly from: NodeModel;
  readonly output: number;
  readonly to: NodeModel;
  readonly input: number;
  /** Place in the fan-in of its input. */
  readonly position: number;
  readonly delay: Delay;
  /** Its messages get the time on the receiver's clock. */
  readonly isPhysical: boolean;
}

/** `source.out → sink.in` */
export const describeEdge = ({ from, output, to, input }: EdgeModel): string =>
  `${from.name}.${from.outputs[output]!.name} → ${to.name}.${to.inputs[input]!.name}`;
