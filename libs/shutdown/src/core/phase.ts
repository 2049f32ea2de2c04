/**
 * The twelve canonical phases, in the order in which they run.
 *
 * @publicApi
 */
export const Phase = {
  /** Announcements and lame-duck waits; everything is still served. */
  BeforeServiceUnbind: 'before-service-unbind',
  /** Stop taking new work. */
  ServiceUnbind: 'service-unbind',
  /** Wait for the work already taken. */
  ServiceRequestsDone: 'service-requests-done',
  /** Close listeners and connections. */
  ServiceStop: 'service-stop',
  BeforeClusterShutdown: 'before-cluster-shutdown',
  ClusterShardingShutdownRegion: 'cluster-sharding-shutdown-region',
  ClusterLeave: 'cluster-leave',
  ClusterExiting: 'cluster-exiting',
  ClusterExitingDone: 'cluster-exiting-done',
  ClusterShutdown: 'cluster-shutdown',
  /** Flush journals, close brokers. */
  BeforeActorSystemTerminate: 'before-actor-system-terminate',
  /** Always last, unless a phase explicitly depends on it. */
  ActorSystemTerminate: 'actor-system-terminate',
} as const;

/** One of the canonical phase names. @publicApi */
export type Phase = (typeof Phase)[keyof typeof Phase];

/** A canonical phase or one of your own. @publicApi */
export type PhaseName = Phase | (string & {});

/** @publicApi */
export interface PhaseOptions {
  /** Phases that must have ended before this one starts. Naming one twice is harmless. */
  dependsOn?: readonly PhaseName[];
  /** Phases that must not start before this one has ended. */
  before?: readonly PhaseName[];
  /** The phase ends after this time even if tasks are still running. @default `defaultPhaseTimeoutMs` */
  timeoutMs?: number;
  /** Whether the next phase starts although a task of this one failed or timed out. @default true */
  recover?: boolean;
  /** A disabled phase keeps its place in the order, but none of its tasks runs. @default true */
  enabled?: boolean;
}
