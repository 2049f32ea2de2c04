import { type OptionChecks, optionChecks } from '@roost/kernel';
import { InvalidDrainOptionError } from './errors/invalid-drain-option.error.js';

/** The checks of the options of the drain. */
export const check: OptionChecks = optionChecks(
  (option, value, expected, options) => new InvalidDrainOptionError(option, value, expected, options),
);
