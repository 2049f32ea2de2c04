import { type OptionChecks, optionChecks } from '@roost/kernel';
import { InvalidDrainOptionError } from './errors/invalid-drain-option.error.js';

/** Option checks that throw the errors of the drain. */
export const check: OptionChecks = optionChecks(
  (option, value, expected, options) => new InvalidDrainOptionError(option, value, expected, options),
);
