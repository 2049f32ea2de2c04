import { type OptionChecks, optionChecks } from '@roost/kernel';
import { InvalidTestkitOptionError } from './errors/invalid-testkit-option.error.js';

/** Checks of options that throw `InvalidTestkitOptionError`. */
export const check: OptionChecks = optionChecks(
  (option, value, expected, options) => new InvalidTestkitOptionError(option, value, expected, options),
);
