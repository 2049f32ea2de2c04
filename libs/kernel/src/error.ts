/** The page with one entry per error code. */
const ERROR_CODES = 'https://roost.js.org/error-codes';

/**
 * Base of every error of the suite. Branch on `code`, which is stable; the message is for people and may be reworded.
 * The message ends with the address of the code's documentation, unless it quotes another error that already has one.
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
    super(message.includes(ERROR_CODES) ? message : `${message} (${ERROR_CODES}#${code.toLowerCase()})`, options);
    this.name = new.target.name;
  }
}
