import type { RoostLogger } from '@roost/kernel';

/** `ctx.log`: lines that name the actor. @publicApi */
export interface ContextLogger {
  debug(message: string): void;
  log(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

/** Lines with the path of an actor as their context. The path is read for each line: few actors log. */
export class PathLogger implements ContextLogger {
  constructor(
    private readonly logger: RoostLogger,
    private readonly actor: { readonly path: string },
  ) {}

  debug(message: string): void {
    this.logger.debug?.(message, this.actor.path);
  }

  log(message: string): void {
    this.logger.log(message, this.actor.path);
  }

  warn(message: string): void {
    this.logger.warn(message, this.actor.path);
  }

  error(message: string): void {
    this.logger.error(message, this.actor.path);
  }
}
