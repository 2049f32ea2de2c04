/**
 * Base of every error this package throws. Branch on `code`, which is stable; the message is for people.
 *
 * @publicApi
 */
export class TimeError extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
    this.name = new.target.name;
  }
}
