/** Why a child must stop. `replaced` means that a successor is up, so no request has to be refused. */
export type StopKind = 'stop' | 'replaced';

/** Messages from the primary to a child process. Threads are stopped through a flag in shared memory instead. */
export type ToChild = { roost: 'stop'; why: StopKind } | { roost: 'status'; id: number };

/** A child's report about itself. */
export interface ChildReport {
  /** Whether the child has a coordinated shutdown. */
  readonly isManaged: boolean;
  /** The child's in-flight work, if the child counts it. */
  readonly inFlight?: number;
}

/** Messages from a child to the primary. */
export type ToPrimary = { roost: 'here' } | { roost: 'ready' } | ({ roost: 'status'; id: number } & ChildReport);

/** Distinguishes our messages from those that applications send on the same channel. */
export const isOurs = (message: unknown): message is { roost: unknown } =>
  typeof message === 'object' && message !== null && 'roost' in message;

/** Index of the flag in shared memory that a thread waits on. */
export const Flag = { running: 0, stop: 1, replaced: 2 } as const;

/** Data that a thread receives at its start. */
export interface ThreadData {
  /** Path of the thread's program. */
  readonly file: string;
  readonly flag: SharedArrayBuffer;
  readonly port: import('node:worker_threads').MessagePort;
}

/** Environment variables that identify a child of the launcher. */
export const ENV = {
  /** The pid of the primary. A child removes it, so that the processes it starts do not inherit it. */
  primary: 'ROOST_PRIMARY_PID',
  /** Name of the process, as passed to `launch()`. */
  name: 'ROOST_PROCESS',
  /** Number of the instance, starting at 1. */
  instance: 'ROOST_INSTANCE',
} as const;
