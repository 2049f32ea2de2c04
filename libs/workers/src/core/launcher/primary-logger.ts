import type { ShutdownLogger } from '@roost/shutdown/core';

/** Plain lines beside those of the children: `log` to stdout, the rest to stderr. */
export const primaryLogger: ShutdownLogger = {
  log: (message) => console.log(`[primary] ${message}`),
  warn: (message) => console.warn(`[primary] ${message}`),
  error: (message) => console.error(`[primary] ${message}`),
};
