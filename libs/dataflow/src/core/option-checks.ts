import { type OptionChecks, optionChecks } from '@roost/kernel';
import { InvalidDataflowOptionError } from './errors/invalid-dataflow-option.error.js';

/** The checks of this lib's options. Each throws `InvalidDataflowOptionError`. */
export const check: OptionChecks = optionChecks(
  (option, value, expected, options) => new InvalidDataflowOptionError(option, value, expected, options),
);
