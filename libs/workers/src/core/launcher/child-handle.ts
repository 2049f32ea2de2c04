import { messageOf } from '@roost/kernel';
import type { ChildReport, StopKind } from '../child/protocol.js';

/** How a child ended. */
export interface ChildEnd {
  readonly code: number | null;
  readonly signal: string | null;
  /** The last lines of stderr, or the error that ended a thread. */
  readonly lastOutput?: string;
}

export interface ChildListeners {
  /** Called at most once, when the child is up. */
  onReady(): void;
  /** Called once, when the child has ended and all its output has been passed on. */
  onEnded(end: ChildEnd): void;
}

/** The primary's connection to a process or thread. */
export interface ChildHandle {
  /** Title for logs: `pid 4711`, `thread 3`. */
  readonly title: string;
  readonly pid?: number | undefined;
  readonly threadId?: number | undefined;
  /** Requests a shutdown. Does not wait for it. */
  stop(kind: StopKind): void;
  /** Kills the child. Does not wait until it has exited. */
  kill(): void;
  /** Resolves to the child's report, or to undefined when the child does not answer within the limit. */
  report(limitMs: number): Promise<ChildReport | undefined>;
}

export const isClean = (end: ChildEnd): boolean => end.code === 0 && end.signal === null;

/** `exit code 1`, `SIGKILL`, or `an error` for a child that could not be started. */
export const describeEnd = ({ code, signal }: ChildEnd): string =>
  signal ?? (code === null ? 'an error' : `exit code ${code}`);

/** Stands in for a child that could not be started, and reports its end. */
export function notStarted(error: unknown, listeners: ChildListeners): ChildHandle {
  listeners.onEnded({ code: null, signal: null, lastOutput: messageOf(error) });
  const nothing = (): void => undefined;
  return { title: 'not started', stop: nothing, kill: nothing, report: () => Promise.resolve(undefined) };
}
