/**
 * Base of every error this library throws. `code` is stable; messages may be reworded.
 *
 * @publicApi
 */
export class DataflowError extends Error {
  constructor(
    readonly code: string,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = new.target.name;
  }
}
