import type { NodeAction, NodePhysicalAction } from '../node/actions.js';
import { declareOn } from '../node/declaration.js';

/** An event that the node schedules for itself: `@LogicalAction() next!: LogicalAction<number>`. @publicApi */
export const LogicalAction = (): PropertyDecorator => (target, key) => {
  declareOn(target.constructor).logicalActions.add(String(key));
};
/** @publicApi */
export type LogicalAction<T = undefined> = NodeAction<T>;

/** The way in for what happens outside: `@PhysicalAction() sensor!: PhysicalAction<number>`. @publicApi */
export const PhysicalAction = (): PropertyDecorator => (target, key) => {
  declareOn(target.constructor).physicalActions.add(String(key));
};
/** @publicApi */
export type PhysicalAction<T = undefined> = NodePhysicalAction<T>;
