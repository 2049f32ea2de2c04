import type { RoostLogger } from '@roost/kernel';

/** Level of a log line. @publicApi */
export type LogLevel = keyof RoostLogger;

/** A line logged by an actor or the system. @publicApi */
export interface LogEntry {
  readonly level: LogLevel;
  /** Path of the actor, or name of the system. */
  readonly path: string;
  readonly message: string;
}

const LEVELS: readonly LogLevel[] = ['debug', 'log', 'warn', 'error'];

/** Creates a logger that records its lines and forwards them to `next`, if given. */
export const recordingLogger = (entries: LogEntry[], next?: RoostLogger): Required<RoostLogger> => {
  const record =
    (level: LogLevel) =>
    (message: string, path = '') => {
      entries.push({ level, path, message });
      next?.[level]?.(message, path);
    };
  return { debug: record('debug'), log: record('log'), warn: record('warn'), error: record('error') };
};

/** Records a logger that is already in use. Its users hold the object, so its methods are replaced in place. */
export const recordLogger = (logger: RoostLogger, entries: LogEntry[]): void => {
  const original = { ...logger };
  const recording = recordingLogger(entries, original);
  for (const level of LEVELS) logger[level] = recording[level];
};
