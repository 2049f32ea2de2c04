/**
 * The logger that every engine takes. Nest's `Logger` fits.
 *
 * `context` names the part that speaks, such as the path of an actor. A line without one speaks for the whole engine.
 *
 * @publicApi
 */
export interface RoostLogger {
  debug?(message: string, context?: string): void;
  log(message: string, context?: string): void;
  warn(message: string, context?: string): void;
  error(message: string, context?: string): void;
}

/** The same logger, but one that never throws: a log line that fails must not fail the work it reports on. */
export function guardedLogger(logger: RoostLogger): Required<RoostLogger> {
  const guard =
    (level: keyof RoostLogger) =>
    (...line: [message: string, context?: string]): void => {
      try {
        logger[level]?.(...line);
      } catch {
        // The log itself is broken, so there is no place to report this.
      }
    };
  return { debug: guard('debug'), log: guard('log'), warn: guard('warn'), error: guard('error') };
}

/**
 * Plain lines on the console, each with its context or else `name`: `log` to stdout, `warn` and `error` to stderr, no
 * `debug`.
 *
 * @publicApi
 */
export const consoleLogger = (name: string): RoostLogger => {
  const line = (message: string, context = name): string => `[${context}] ${message}`;
  return {
    log: (message, context) => console.log(line(message, context)),
    warn: (message, context) => console.warn(line(message, context)),
    error: (message, context) => console.error(line(message, context)),
  };
};
