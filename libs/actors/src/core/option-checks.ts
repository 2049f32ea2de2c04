import { type OptionChecks, optionChecks } from '@roost/kernel';
import { InvalidActorOptionError } from './errors/invalid-actor-option.error.js';

/** Option checks that throw `InvalidActorOptionError`. */
export const check: OptionChecks = optionChecks(
  (option, value, expected, options) => new InvalidActorOptionError(option, value, expected, options),
);
