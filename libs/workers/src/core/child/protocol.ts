/** Why a child is told to stop. `replaced`: a successor is up, so no request has to be refused. */
export type StopKind = 'stop' | 'replaced';

/** Messages of the primary to a child process. Threads are told to stop by a flag in shared memory instead. */
export type ToChild = { roost: 'stop'; why: StopKind } | { roost: 'status'; id: number };

/** A child's report on itself. */
export interface ChildReport {
  /** Whether it has a coordinated shutdown that can end it in order. */
  readonly isManaged: boolean;
  /** Its work in flight, if it counts that. */
  readonly inFlight?: number;
}

/** Messages of a child to the primary. */
export type ToPrimary = { roost: 'here' } | { roost: 'ready' } | ({ roost: 'status'; id: number } & ChildReport);

/** Applications may use the same channel for messages of their own. */
export const isOurs = (message: unknown): message is { roost: unknown } =>
  typeof message === 'object' && message !== null && 'roost' in message;

/** The flag in shared memory that a thread waits on. */
export const Flag = { running: 0, stop: 1, replaced: 2 } as const;

/** The data of a thread at its start. */
export interface ThreadData {
  /** Its program. */
  readonly file: string;
  readonly flag: SharedArrayBuffer;
  readonly port: import('node:worker_threads').MessagePort;
}

/** The environment of a child: which process of the launcher it is. */
export const ENV = {
  /** The pid of the primary. Children of the launcher take it away, so that those they start do not have it. */
  primary: 'ROOST_PRIMARY_PID',
  /** Name of the process, as given to `launch()`. */
  name: 'ROOST_PROCESS',
  /** 1 for the first of that name. */
  instance: 'ROOST_INSTANCE',
} as const;
