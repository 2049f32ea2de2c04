import { assertNodeOptions, declareOn, type NodeOptions } from '../node/declaration.js';

/**
 * Makes a class a node of dataflow graphs. In Nest it is a provider as well: list it in the `providers` of a module. Where a
 * graph has one node of the class, other providers inject that node. Add `@Injectable()` only for another scope.
 *
 * Not inherited: a subclass is a node only if it is decorated itself.
 *
 * @publicApi
 */
export const DataflowNode = (options: NodeOptions = {}): ClassDecorator => {
  assertNodeOptions(options, '@DataflowNode');
  return (type) => {
    declareOn(type).options = options;
  };
};
