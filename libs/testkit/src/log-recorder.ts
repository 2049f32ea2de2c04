import type { ActorLogger } from '@roost/actors/core';

/** @publicApi */
export type LogLevel = keyof ActorLogger;

/** A line that an actor or the system has logged. @publicApi */
export interface LogEntry {
  readonly level: LogLevel;
  /** Of the actor, or the name of the system. */
  readonly path: string;
  readonly message: string;
}

const LEVELS: readonly LogLevel[] = ['debug', 'log', 'warn', 'error'];

/** A logger that keeps what it gets and hands it on, if there is somebody to hand it to. */
export const recordingLogger = (entries: LogEntry[], next?: ActorLogger): Required<ActorLogger> => {
  const record = (level: LogLevel) => (message: string, path: string) => {
    entries.push({ level, path, message });
    next?.[level]?.(message, path);
  };
  return { debug: record('debug'), log: record('log'), warn: record('warn'), error: record('error') };
};

/** Listens to a logger that is in use already. Everybody who has it keeps it, so its methods are replaced in place. */
export const recordLogger = (logger: Required<ActorLogger>, entries: LogEntry[]): void => {
  const original = { ...logger };
  const recording = recordingLogger(entries, original);
  for (const level of LEVELS) logger[level] = recording[level];
};
