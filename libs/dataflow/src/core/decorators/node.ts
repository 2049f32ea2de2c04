import { assertNodeOptions, declareOn, type NodeOptions } from '../node/declaration.js';

/**
 * Makes a class a node of dataflow graphs. The decorator is not inherited: a subclass is a node only if it is decorated
 * itself.
 *
 * In Nest, the class is also a provider: list it in the `providers` of a module. If a graph has one node of the class,
 * other providers can inject that node. Add `@Injectable()` only to set another scope.
 *
 * @example
 * ```ts
 * import { DataflowNode, Input, InputPort, Output, OutputPort, Reaction } from '@roost/dataflow';
 *
 * @DataflowNode({ name: 'square' })
 * class SquareNode {
 *   @Input() in!: InputPort<number>;
 *   @Output() out!: OutputPort<number>;
 *
 *   @Reaction('in')
 *   square(): void {
 *     this.out.set(this.in.value! ** 2);
 *   }
 * }
 * ```
 *
 * @publicApi
 */
export const DataflowNode = (options: NodeOptions = {}): ClassDecorator => {
  assertNodeOptions(options, '@DataflowNode');
  return (type) => {
    declareOn(type).options = options;
  };
};
