import { type OptionChecks, optionChecks } from '@roost/kernel';
import { InvalidHealthOptionError } from './errors/invalid-health-option.error.js';

/** Option checks of this lib. */
export const check: OptionChecks = optionChecks(
  (option, value, expected, options) => new InvalidHealthOptionError(option, value, expected, options),
);
