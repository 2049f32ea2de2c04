import type { DataflowLogger } from '../node/context.js';

/** Plain lines: `log` to stdout, the rest to stderr. */
export const consoleLogger: DataflowLogger = {
  log: (message) => console.log(`[dataflow] ${message}`),
  warn: (message) => console.warn(`[dataflow] ${message}`),
  error: (message) => console.error(`[dataflow] ${message}`),
};

/** A logger that fails must not fail who logs: its errors are dropped. */
export function guarded(logger: DataflowLogger): DataflowLogger {
  const guard = (level: keyof DataflowLogger) => (message: string) => {
    try {
      logger[level](message);
    } catch {
      // There is nowhere left to tell.
    }
  };
  return { log: guard('log'), warn: guard('warn'), error: guard('error') };
}
