import type { SlotState } from './slot.js';

/** @publicApi */
export interface ChildStatus {
  /** `web#1`. While it is replaced there are two. */
  readonly name: string;
  readonly kind: 'http' | 'process' | 'thread';
  readonly state: SlotState;
  readonly pid?: number;
  readonly threadId?: number;
  readonly ageMs?: number;
  /** What it has in hand, if its application counts it (`WorkersModule` does). */
  readonly inFlight?: number;
  /** False: it did not answer in time, so its event loop is busy or it has just begun to boot. */
  readonly responsive?: boolean;
  readonly restarts: number;
  /** How the last one that was not asked to end did so. */
  readonly lastFailure?: string;
}

/** @publicApi */
export interface FleetStatus {
  readonly pid: number;
  readonly state: 'starting' | 'running' | 'rolling' | 'stopping' | 'stopped';
  readonly uptimeMs: number;
  /** Processes and threads that are there, in any state. */
  readonly alive: number;
  readonly children: readonly ChildStatus[];
}
