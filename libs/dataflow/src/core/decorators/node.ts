import { declareOn, type NodeOptions } from '../node/declaration.js';

/** Makes a class a node of dataflow graphs. @publicApi */
export const DataflowNode =
  (options: NodeOptions = {}): ClassDecorator =>
  (type) => {
    declareOn(type).options = options;
  };
