import { declareOn, type InputOptions } from '../node/declaration.js';
import { check } from '../option-checks.js';

/**
 * Declares an input of the node.
 *
 * @example
 * ```ts
 * import { DataflowNode, Input, InputPort, Reaction } from '@roost/dataflow';
 *
 * @DataflowNode()
 * class Printer {
 *   @Input() text!: InputPort<string>;
 *   @Input({ retain: true }) prefix!: InputPort<string>;
 *
 *   @Reaction('text', { reads: ['prefix'] })
 *   print(): void {
 *     console.log(this.prefix.value ?? '', this.text.value);
 *   }
 * }
 * ```
 *
 * @publicApi
 */
export const Input = (options: InputOptions = {}): PropertyDecorator => {
  check.knownKeys(options, ['retain', 'onLate'], '@Input');
  return (target, key) => {
    declareOn(target.constructor).inputs.set(String(key), options);
  };
};

/**
 * Declares an output of the node.
 *
 * @example
 * ```ts
 * import { DataflowNode, OnTimer, Output, OutputPort, span } from '@roost/dataflow';
 *
 * @DataflowNode()
 * class Clock {
 *   @Output() tick!: OutputPort<number>;
 *   private count = 0;
 *
 *   @OnTimer({ period: span.seconds(1) })
 *   run(): void {
 *     this.tick.set(++this.count);
 *   }
 * }
 * ```
 *
 * @publicApi
 */
export const Output = (): PropertyDecorator => (target, key) => {
  declareOn(target.constructor).outputs.add(String(key));
};
