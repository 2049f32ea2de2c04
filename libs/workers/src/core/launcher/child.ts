import { messageOf } from '@roost/kernel';
import type { ChildReport, StopWord } from '../child/protocol.js';

/** How a child came to its end. */
export interface ChildEnd {
  readonly code: number | null;
  readonly signal: string | null;
  /** What it said last on stderr, or the error that ended a thread. */
  readonly lastWords?: string;
}

/** What a child tells whoever has started it. */
export interface ChildListeners {
  /** It is up. At most once. */
  ready(): void;
  /** It is gone, and all it has printed has been passed on. Exactly once. */
  ended(end: ChildEnd): void;
}

/** A process or thread, seen from the primary. */
export interface Child {
  /** For logs: `pid 4711`, `thread 3`. */
  readonly title: string;
  readonly pid?: number;
  readonly threadId?: number;
  /** Tells it to shut down. Does not wait. */
  stop(why: StopWord): void;
  /** Ends it here and now. Does not wait either. */
  kill(): void;
  /** What it knows of itself; undefined when it does not answer in time. */
  report(limitMs: number): Promise<ChildReport | undefined>;
}

export const isClean = (end: ChildEnd): boolean => end.code === 0 && end.signal === null;

/** `exit code 1`, `SIGKILL`, or `an error` of one that could not be started. */
export const describeEnd = ({ code, signal }: ChildEnd): string =>
  signal ?? (code === null ? 'an error' : `exit code ${code}`);

/** In place of a child that could not even be started: it has ended. */
export function notStarted(error: unknown, listeners: ChildListeners): Child {
  listeners.ended({ code: null, signal: null, lastWords: messageOf(error) });
  const nothing = (): void => undefined;
  return { title: 'not started', stop: nothing, kill: nothing, report: () => Promise.resolve(undefined) };
}
