import type { EdgeTag, Grant, Report } from '../../progress/progress-tracker.js';
import type { DataflowReport, NodeReport } from '../../report.js';
import type { Tag } from '../../time/tag.js';

/** Progress of one partition since its last report. */
export interface PartitionReport extends Report {
  /** The partition has an event in its queue. */
  readonly hasEvents: boolean;
  /** The queue is empty and no physical action is open, so only a message can give the partition work. */
  readonly isIdle: boolean;
  /** External input is possible, and `net` is no later than the floor, the earliest tag that the input can get. */
  readonly isOpen: boolean;
  /** The partition has an event that it cannot handle because a connection is full. */
  readonly isBlocked: boolean;
  /** The last tag that the partition has handled. */
  readonly lastTag: Tag;
  /** Per physical edge, the tag at which the last message was sent. */
  readonly physicalSent: readonly EdgeTag[];
  /** Per physical edge, the tag at which the last received message was sent. */
  readonly physicalGot: readonly EdgeTag[];
  /** The checkpoint: a restart repeats no tag up to it. NEVER in a process that is not restarted. */
  readonly checkpoint: Tag;
}

export interface PartitionGrant extends Grant {
  /** Tag that the partition may handle although a connection is full, because no other partition can make room. */
  readonly overdraw?: Tag;
}

/** Where a partition of a restarted process continues. */
export interface ResumePoint {
  readonly partition: number;
  /** Every tag up to this one is handled and is not repeated. */
  readonly checkpoint: Tag;
  /** Per outgoing edge, the last tag reported as sent. */
  readonly sent: readonly EdgeTag[];
  /** Per incoming edge, the last tag that is sent again. The partition begins no tag until it has all of them. */
  readonly need: readonly EdgeTag[];
  /** The last tag reported as handled before the crash. */
  readonly lastTag: Tag;
}

/** Messages from a process to the coordinator. */
export type ToCoordinator =
  /** First message of a process. `version` covers the graph, the placement and the settings. */
  | { readonly kind: 'join'; readonly version: string; readonly address: string }
  | { readonly kind: 'report'; readonly report: PartitionReport }
  | { readonly kind: 'stop-request'; readonly tag: Tag; readonly isFinal: boolean; readonly by: string }
  | { readonly kind: 'stop-answer'; readonly round: number; readonly partition: number; readonly tag: Tag }
  /** A partition has reached the planned stop and may be waiting for upstream partitions. */
  | { readonly kind: 'planned-stop-reached' }
  /** A partition has handled its stop tag, or was stopped by force. */
  | {
      readonly kind: 'partition-stopped';
      readonly partition: number;
      readonly nodes: Record<string, NodeReport>;
      readonly dataMessages: number;
    }
  | { readonly kind: 'failed'; readonly code: string; readonly message: string; readonly exitCode: number }
  | { readonly kind: 'peer-unreachable'; readonly peer: string; readonly forMs: number };

/** Messages from the coordinator to a process. */
export type ToProcess =
  | {
      readonly kind: 'start';
      readonly startedAtMs: number;
      readonly addresses: Record<string, string>;
      readonly resume: readonly ResumePoint[];
    }
  | { readonly kind: 'grant'; readonly grant: PartitionGrant }
  /** Requests the promise that no external input of the partition gets a tag up to this one. */
  | { readonly kind: 'raise-floor'; readonly partition: number; readonly tag: Tag }
  | { readonly kind: 'stop-proposal'; readonly round: number; readonly tag: Tag; readonly isFinal: boolean }
  | { readonly kind: 'stop-decision'; readonly tag: Tag; readonly isFinal: boolean }
  | { readonly kind: 'force'; readonly code: string; readonly message: string; readonly exitCode: number }
  | { readonly kind: 'peer-restarted'; readonly peer: string; readonly address: string }
  /** A process is lost, and the run continues without it. */
  | { readonly kind: 'peer-removed'; readonly peer: string }
  | { readonly kind: 'run-ended'; readonly report: DataflowReport };

/** Messages from one process to another. */
export type ToPeer =
  | { readonly kind: 'data'; readonly edge: number; readonly tag: Tag; readonly payload: Uint8Array }
  /** The receiver has handled every message on the edge up to this tag, so there is room for new ones. */
  | { readonly kind: 'credit'; readonly edge: number; readonly tag: Tag }
  /** The sender has handled its stop tag and sends nothing more over the edge. */
  | { readonly kind: 'edge-closed'; readonly edge: number };

/** Any message between the processes of a run. docs/how-processes-agree.md explains when each is sent. */
export type ProtocolMessage = ToCoordinator | ToProcess | ToPeer;
