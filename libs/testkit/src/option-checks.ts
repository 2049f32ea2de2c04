import { type OptionChecks, optionChecks } from '@roost/kernel';
import { InvalidTestkitOptionError } from './errors/invalid-testkit-option.error.js';

/** Option checks that throw `InvalidTestkitOptionError`. */
export const check: OptionChecks = optionChecks(
  (option, value, expected, options) => new InvalidTestkitOptionError(option, value, expected, options),
);
