import type { NodeAction, NodePhysicalAction } from '../node/actions.js';
import { declareOn } from '../node/declaration.js';

/**
 * Declares a logical action: an event that the node schedules for itself, in logical time.
 *
 * @example
 * ```ts
 * import { DataflowNode, LogicalAction, OnStart, Reaction, span } from '@roost/dataflow';
 *
 * @DataflowNode()
 * class Countdown {
 *   @LogicalAction() next!: LogicalAction<number>;
 *
 *   @OnStart()
 *   start(): void {
 *     this.next.schedule(span.ms(100), 3);
 *   }
 *
 *   @Reaction('next')
 *   count(): void {
 *     const left = this.next.value!;
 *     if (left > 0) this.next.schedule(span.ms(100), left - 1);
 *   }
 * }
 * ```
 *
 * @publicApi
 */
export const LogicalAction = (): PropertyDecorator => (target, key) => {
  declareOn(target.constructor).logicalActions.add(String(key));
};
/** @publicApi */
export type LogicalAction<T = undefined> = NodeAction<T>;

/**
 * Declares a physical action: the entry point for input from outside of the graph, such as sockets, requests and
 * sensors.
 *
 * @example
 * ```ts
 * import { DataflowNode, Output, OutputPort, PhysicalAction, Reaction } from '@roost/dataflow';
 *
 * @DataflowNode()
 * class Sensor {
 *   @PhysicalAction() reading!: PhysicalAction<number>;
 *   @Output() out!: OutputPort<number>;
 *
 *   // Called from anywhere, for example from a controller.
 *   measured(value: number): boolean {
 *     return this.reading.schedule(value);
 *   }
 *
 *   @Reaction('reading')
 *   forward(): void {
 *     this.out.set(this.reading.value!);
 *   }
 * }
 * ```
 *
 * @publicApi
 */
export const PhysicalAction = (): PropertyDecorator => (target, key) => {
  declareOn(target.constructor).physicalActions.add(String(key));
};
/** @publicApi */
export type PhysicalAction<T = undefined> = NodePhysicalAction<T>;
