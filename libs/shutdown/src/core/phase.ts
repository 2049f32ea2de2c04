/**
 * The twelve built-in phases, in running order.
 *
 * @example
 * ```ts
 * import { type CoordinatedShutdown, Phase } from '@roost/shutdown';
 *
 * export function flushLast(shutdown: CoordinatedShutdown, buffer: string[]): void {
 *   shutdown.addTask(Phase.BeforeActorSystemTerminate, 'flush-events', () => console.log(buffer.splice(0)));
 * }
 * ```
 *
 * @publicApi
 */
export const Phase = {
  /** For announcements and lame-duck waits. The application still serves all requests. */
  BeforeServiceUnbind: 'before-service-unbind',
  /** Stop accepting new work. */
  ServiceUnbind: 'service-unbind',
  /** Wait for in-flight work. */
  ServiceRequestsDone: 'service-requests-done',
  /** Close listeners and connections. */
  ServiceStop: 'service-stop',
  BeforeClusterShutdown: 'before-cluster-shutdown',
  ClusterShardingShutdownRegion: 'cluster-sharding-shutdown-region',
  ClusterLeave: 'cluster-leave',
  ClusterExiting: 'cluster-exiting',
  ClusterExitingDone: 'cluster-exiting-done',
  ClusterShutdown: 'cluster-shutdown',
  /** Flush journals and close brokers. */
  BeforeActorSystemTerminate: 'before-actor-system-terminate',
  /** Always last, unless a phase explicitly depends on it. */
  ActorSystemTerminate: 'actor-system-terminate',
} as const;

/** Name of a built-in phase. @publicApi */
export type Phase = (typeof Phase)[keyof typeof Phase];

/** Name of a built-in phase or of a phase you declare. @publicApi */
export type PhaseName = Phase | (string & {});

/** @publicApi */
export interface PhaseOptions {
  /** Phases that must finish before this one starts. Duplicates are harmless. */
  dependsOn?: readonly PhaseName[];
  /** Phases that must not start until this one has finished. */
  before?: readonly PhaseName[];
  /** Timeout in ms. The phase ends after it even if tasks are still running. @default `defaultPhaseTimeoutMs` */
  timeoutMs?: number;
  /** Whether the next phase starts even if a task of this phase failed or timed out. @default true */
  recover?: boolean;
  /** Whether the tasks run. A disabled phase keeps its place in the order. @default true */
  enabled?: boolean;
}
