import { consoleLogger as namedConsoleLogger, type RoostLogger } from '@roost/kernel';

/** The part of `RoostLogger` that this engine uses. @publicApi */
export type ShutdownLogger = Pick<RoostLogger, 'log' | 'warn' | 'error'>;

/** Plain lines: `log` to stdout, the rest to stderr. @publicApi */
export const consoleLogger: RoostLogger = namedConsoleLogger('shutdown');
