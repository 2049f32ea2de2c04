import { optionChecks, type OptionChecks } from '@roost/kernel';
import { InvalidShutdownOptionError } from './errors/invalid-shutdown-option.error.js';
import { InvalidTimeoutError } from './errors/invalid-timeout.error.js';

const timeouts: OptionChecks = optionChecks(
  (option, value, expected) => new InvalidTimeoutError(option, value, expected),
);

/** Option checks of this lib. An invalid timeout has its own error class. */
export const check: OptionChecks = {
  ...optionChecks((...args) => new InvalidShutdownOptionError(...args)),
  timeout: (...args) => timeouts.timeout(...args),
};
