import { type OptionChecks, optionChecks } from '@roost/kernel';
import { InvalidDataflowOptionError } from './errors/invalid-dataflow-option.error.js';

/** Option checks of this library. Each throws `InvalidDataflowOptionError`. */
export const check: OptionChecks = optionChecks(
  (option, value, expected, options) => new InvalidDataflowOptionError(option, value, expected, options),
);
