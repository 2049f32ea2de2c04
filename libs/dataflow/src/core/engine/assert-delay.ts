import { InvalidDataflowOptionError } from '../errors/invalid-dataflow-option.error.js';

/** @throws InvalidDataflowOptionError */
export function assertDelay(delay: unknown, node: string): asserts delay is number {
  if (Number.isSafeInteger(delay) && (delay as number) >= 0) return;
  throw new InvalidDataflowOptionError(`delay of what node "${node}" schedules`, delay, 'a span such as ms(5)');
}
