import { declareOn, type InputOptions } from '../node/declaration.js';
import { check } from '../option-checks.js';

/** An input of the node: `@Input() name!: InputPort<string>`. @publicApi */
export const Input = (options: InputOptions = {}): PropertyDecorator => {
  check.knownKeys(options, ['retain', 'onLate'], '@Input');
  return (target, key) => {
    declareOn(target.constructor).inputs.set(String(key), options);
  };
};

/** An output of the node: `@Output() out!: OutputPort<string>`. @publicApi */
export const Output = (): PropertyDecorator => (target, key) => {
  declareOn(target.constructor).outputs.add(String(key));
};
