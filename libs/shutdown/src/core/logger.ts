/** What the engine needs of a logger. Nest's `Logger` fits. @publicApi */
export interface ShutdownLogger {
  log(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

/** Plain lines: `log` to stdout, the rest to stderr. @publicApi */
export const consoleLogger: ShutdownLogger = {
  log: (message) => console.log(`[shutdown] ${message}`),
  warn: (message) => console.warn(`[shutdown] ${message}`),
  error: (message) => console.error(`[shutdown] ${message}`),
};
