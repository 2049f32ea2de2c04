import type { RoostLogger } from '@roost/kernel';

/** @publicApi */
export type LogLevel = keyof RoostLogger;

/** A line that an actor or the system has logged. @publicApi */
export interface LogEntry {
  readonly level: LogLevel;
  /** Of the actor, or the name of the system. */
  readonly path: string;
  readonly message: string;
}

const LEVELS: readonly LogLevel[] = ['debug', 'log', 'warn', 'error'];

/** A logger that keeps its lines, and passes them on to `next` if given. */
export const recordingLogger = (entries: LogEntry[], next?: RoostLogger): Required<RoostLogger> => {
  const record =
    (level: LogLevel) =>
    (message: string, path = '') => {
      entries.push({ level, path, message });
      next?.[level]?.(message, path);
    };
  return { debug: record('debug'), log: record('log'), warn: record('warn'), error: record('error') };
};

/** Records a logger that is in use already. Its users keep the object, so its methods are replaced in place. */
export const recordLogger = (logger: RoostLogger, entries: LogEntry[]): void => {
  const original = { ...logger };
  const recording = recordingLogger(entries, original);
  for (const level of LEVELS) logger[level] = recording[level];
};
