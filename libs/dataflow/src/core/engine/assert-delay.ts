import { InvalidDataflowOptionError } from '../errors/invalid-dataflow-option.error.js';
import { isSpan } from '../time/span.js';

/** @throws InvalidDataflowOptionError */
export function assertDelay(delay: unknown, node: string): void {
  if (isSpan(delay)) return;
  throw new InvalidDataflowOptionError(
    `delay of a schedule() call in node "${node}"`,
    delay,
    'a span such as span.ms(5)',
  );
}
