import type { ChildState } from './child-slot.js';

/** Status of one child of a fleet. @publicApi */
export interface ChildStatus {
  /** Name such as `web#1`. While the child is being replaced, two entries have the same name. */
  readonly name: string;
  readonly kind: 'http' | 'process' | 'thread';
  readonly state: ChildState;
  readonly pid?: number;
  readonly threadId?: number;
  readonly ageMs?: number;
  /** In-flight work, if the application counts it (`WorkersModule` does). */
  readonly inFlight?: number;
  /** Whether the child answered in time. If not, its event loop is busy or it has just started to boot. */
  readonly responsive?: boolean;
  readonly restarts: number;
  /** How the last child that exited unexpectedly ended. */
  readonly lastFailure?: string;
}

/** Status of a fleet. @publicApi */
export interface FleetStatus {
  readonly pid: number;
  /** `starting` until every child has been up once, `rolling` during a rolling restart. */
  readonly state: 'starting' | 'running' | 'rolling' | 'stopping' | 'stopped';
  readonly uptimeMs: number;
  /** Number of living processes and threads, in any state. */
  readonly alive: number;
  readonly children: readonly ChildStatus[];
}
