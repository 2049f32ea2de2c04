import { Injectable } from '@nestjs/common';
import { DataflowNode as declareNode, type NodeOptions } from '../core/index.js';
import { INJECTABLE } from '../dataflow.constants.js';

/**
 * Makes a class a node of dataflow graphs, and a provider: list it in the `providers` of a module. Where a graph has one node
 * of it, what others inject is that node.
 *
 * Not inherited: a subclass is a node only if it is decorated itself.
 *
 * @publicApi
 */
export const DataflowNode =
  (options: NodeOptions = {}): ClassDecorator =>
  (type) => {
    declareNode(options)(type);
    // A scope that an `@Injectable()` below this one has set is kept.
    if (!Reflect.hasOwnMetadata(INJECTABLE, type)) Injectable()(type);
  };
