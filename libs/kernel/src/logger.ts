/**
 * The logger interface of every engine. Nest's `Logger` implements it.
 *
 * `context` names the part that logs, such as the path of an actor. Without it, the line is about the whole engine.
 *
 * @example
 * ```ts
 * import type { RoostLogger } from '@roost/kernel';
 *
 * export const jsonLogger: RoostLogger = {
 *   log: (message, context) => console.log(JSON.stringify({ level: 'info', context, message })),
 *   warn: (message, context) => console.warn(JSON.stringify({ level: 'warn', context, message })),
 *   error: (message, context) => console.error(JSON.stringify({ level: 'error', context, message })),
 * };
 * ```
 *
 * @publicApi
 */
export interface RoostLogger {
  debug?(message: string, context?: string): void;
  log(message: string, context?: string): void;
  warn(message: string, context?: string): void;
  error(message: string, context?: string): void;
}

/** Wraps a logger so that it never throws. A failing log line must not fail the work it reports on. */
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
 * Logs plain lines to the console, each with its context or else `name`. `log` goes to stdout, `warn` and `error` go to
 * stderr, and there is no `debug`.
 *
 * @example
 * ```ts
 * import { consoleLogger } from '@roost/kernel';
 *
 * consoleLogger('orders').log('imported 12 rows'); // [orders] imported 12 rows
 * ```
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
