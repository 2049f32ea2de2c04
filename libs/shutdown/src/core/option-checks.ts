import { optionChecks, type OptionChecks } from '@roost/kernel';
import { InvalidShutdownOptionError } from './errors/invalid-shutdown-option.error.js';
import { InvalidTimeoutError } from './errors/invalid-timeout.error.js';

const timeouts: OptionChecks = optionChecks(
  (option, value, expected) => new InvalidTimeoutError(option, value, expected),
);

/** The checks of this lib. A bad timeout has an error of its own. */
export const check: OptionChecks = {
  ...optionChecks((...args) => new InvalidShutdownOptionError(...args)),
  timeout: (...args) => timeouts.timeout(...args),
};
