import type { ShutdownLogger } from '@roost/shutdown/core';

/** What the engine needs of a logger. Nest's `Logger` fits. @publicApi */
export type WorkersLogger = ShutdownLogger;

/** Plain lines that begin with a name: `log` to stdout, the rest to stderr. */
export const linesOf = (name: string): WorkersLogger => ({
  log: (message) => console.log(`[${name}] ${message}`),
  warn: (message) => console.warn(`[${name}] ${message}`),
  error: (message) => console.error(`[${name}] ${message}`),
});

export const consoleLogger = linesOf('workers');

/** A logger that fails must not fail who logs: its errors are dropped. */
export function guarded(logger: WorkersLogger): WorkersLogger {
  const guard = (level: keyof WorkersLogger) => (message: string) => {
    try {
      logger[level](message);
    } catch {
      // There is nowhere left to tell.
    }
  };
  return { log: guard('log'), warn: guard('warn'), error: guard('error') };
}
