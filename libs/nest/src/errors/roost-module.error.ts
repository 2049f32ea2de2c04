/**
 * Base of every error this library throws. `code` is stable; messages may be reworded.
 *
 * @publicApi
 */
export class RoostModuleError extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
    this.name = new.target.name;
  }
}
