/**
 * Base of every error of the suite. Branch on `code`, which is stable; the message is for people and may be reworded.
 *
 * @example
 * ```ts
 * import { RoostError } from '@roost/kernel';
 *
 * const isStuck = (error: unknown): boolean => error instanceof RoostError && error.code === 'DRAIN_STUCK';
 * ```
 *
 * @publicApi
 */
export class RoostError extends Error {
  constructor(
    readonly code: string,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = new.target.name;
  }
}
