import type { RoostLogger } from '@roost/kernel';

/** The logger of an actor, `ctx.log`. Its lines name the actor. @publicApi */
export interface ContextLogger {
  debug(message: string): void;
  log(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

/** Logs with an actor's path as context. The path is computed per line, because few actors log. */
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
