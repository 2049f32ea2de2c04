import { type OptionChecks, optionChecks } from '@roost/kernel';
import { InvalidHealthOptionError } from './errors/invalid-health-option.error.js';

/** The checks of the options of the probes. */
export const check: OptionChecks = optionChecks(
  (option, value, expected, options) => new InvalidHealthOptionError(option, value, expected, options),
);
