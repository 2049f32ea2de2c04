import type { ChildState } from './child-slot.js';

/** @publicApi */
export interface ChildStatus {
  /** `web#1`. While it is replaced there are two. */
  readonly name: string;
  readonly kind: 'http' | 'process' | 'thread';
  readonly state: ChildState;
  readonly pid?: number;
  readonly threadId?: number;
  readonly ageMs?: number;
  /** Its work in flight, if its application counts it (`WorkersModule` does). */
  readonly inFlight?: number;
  /** False: it did not answer in time, so its event loop is busy or it has just begun to boot. */
  readonly responsive?: boolean;
  readonly restarts: number;
  /** How the last child ended that was not asked to. */
  readonly lastFailure?: string;
}

/** @publicApi */
export interface FleetStatus {
  readonly pid: number;
  /** `starting` until every child has been up once, `rolling` during a rolling restart. */
  readonly state: 'starting' | 'running' | 'rolling' | 'stopping' | 'stopped';
  readonly uptimeMs: number;
  /** Living processes and threads, in any state. */
  readonly alive: number;
  readonly children: readonly ChildStatus[];
}
