import { type OptionChecks, optionChecks } from '@roost/kernel';
import { InvalidDataflowOptionError } from './errors/invalid-dataflow-option.error.js';

export const check: OptionChecks = optionChecks(
  (option, value, expected) => new InvalidDataflowOptionError(option, value, expected),
);
