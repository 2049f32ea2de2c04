import { InvalidWorkerOptionError } from './errors/invalid-worker-option.error.js';

/** @throws InvalidWorkerOptionError */
export function assertFunction(value: unknown, option: string): void {
  if (typeof value !== 'function') throw new InvalidWorkerOptionError(option, value, 'a function');
}
