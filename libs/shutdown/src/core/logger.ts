/** What the engine needs of a logger. Nest's `Logger` fits. @publicApi */
export interface ShutdownLogger {
  log(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

/** A logger that fails must not stop the shutdown: its errors are dropped. */
export function guarded(logger: ShutdownLogger): ShutdownLogger {
  const guard = (level: keyof ShutdownLogger) => (message: string) => {
    try {
      logger[level](message);
    } catch {
      // There is nowhere left to tell.
    }
  };
  return { log: guard('log'), warn: guard('warn'), error: guard('error') };
}

/** Plain lines: `log` to stdout, the rest to stderr. @publicApi */
export const consoleLogger: ShutdownLogger = {
  log: (message) => console.log(`[shutdown] ${message}`),
  warn: (message) => console.warn(`[shutdown] ${message}`),
  error: (message) => console.error(`[shutdown] ${message}`),
};
