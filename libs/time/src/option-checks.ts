import { type OptionChecks, optionChecks } from '@roost/kernel';
import { InvalidTimeOptionError } from './errors/invalid-time-option.error.js';

export const check: OptionChecks = optionChecks((...bad) => new InvalidTimeOptionError(...bad));
