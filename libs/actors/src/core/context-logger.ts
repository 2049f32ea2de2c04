/** What the engine needs of a logger: Nest's `Logger` fits. `path` says which actor, or which system, is speaking. @publicApi */
export interface ActorLogger {
  debug?(message: string, path: string): void;
  log(message: string, path: string): void;
  warn(message: string, path: string): void;
  error(message: string, path: string): void;
}

/** `ctx.log`: lines that name the actor. @publicApi */
export interface ContextLogger {
  debug(message: string): void;
  log(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

/** Lines that name their actor. */
export class PathLogger implements ContextLogger {
  constructor(
    private readonly logger: Required<ActorLogger>,
    private readonly actor: { readonly path: string },
  ) {}

  debug(message: string): void {
    this.logger.debug(message, this.actor.path);
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

/** A logger that fails must not fail the actor: its errors are dropped. */
export function guarded(logger: ActorLogger): Required<ActorLogger> {
  const guard = (level: keyof ActorLogger) => (message: string, path: string) => {
    try {
      logger[level]?.(message, path);
    } catch {
      // There is nowhere left to tell.
    }
  };
  return { debug: guard('debug'), log: guard('log'), warn: guard('warn'), error: guard('error') };
}

/** Plain lines: `log` to stdout, warnings and errors to stderr, no `debug`. @publicApi */
export const consoleLogger: ActorLogger = {
  log: (message, path) => console.log(`[${path}] ${message}`),
  warn: (message, path) => console.warn(`[${path}] ${message}`),
  error: (message, path) => console.error(`[${path}] ${message}`),
};
