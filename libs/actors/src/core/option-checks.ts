import { type OptionChecks, optionChecks } from '@roost/kernel';
import { InvalidActorOptionError } from './errors/invalid-actor-option.error.js';

/** Checks of options that throw `InvalidActorOptionError`. */
export const check: OptionChecks = optionChecks(
  (option, value, expected, options) => new InvalidActorOptionError(option, value, expected, options),
);
