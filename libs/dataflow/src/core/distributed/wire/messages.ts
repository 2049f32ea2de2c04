import type { EdgeTag, Grant, Report } from '../../progress/progress-tracker.js';
import type { DataflowReport, NodeReport } from '../../report.js';
import type { Tag } from '../../time/tag.js';

/** What a partition tells the coordinator after some work. */
export interface PartitionReport extends Report {
  /** It has something in its queue. */
  readonly hasEvents: boolean;
  /** It has nothing in its queue and no open physical action: only a message can change that. */
  readonly isIdle: boolean;
  /** Something may come from outside: `net` is the earliest tag that it could get. */
  readonly isOpen: boolean;
  /** It could go on if a receiver had room. */
  readonly isStarved: boolean;
  /** The last tag it has handled. */
  readonly last: Tag;
  /** What was last sent over physical connections, and what has last come, by the tags at which it was sent. */
  readonly physicalSent: readonly EdgeTag[];
  readonly physicalGot: readonly EdgeTag[];
  /** Everything up to this tag is handled, and nobody will need it again. Only where a restart may need to know. */
  readonly safe: Tag;
}

export interface PartitionGrant extends Grant {
  /** It may handle this tag even though a receiver has no room: nobody else can make any. */
  readonly overdraw?: Tag;
}

/** A node process to the coordinator. */
export type ToCoordinator =
  | { readonly kind: 'hello'; readonly version: string; readonly address: string }
  | { readonly kind: 'report'; readonly report: PartitionReport }
  | { readonly kind: 'stop-request'; readonly tag: Tag; readonly isFinal: boolean; readonly by: string }
  | { readonly kind: 'stop-answer'; readonly round: number; readonly partition: number; readonly tag: Tag }
  /** A partition stands at the planned stop, and may wait for those before it. */
  | { readonly kind: 'plan-reached' }
  /** A partition has handled the stop tag that it knew of. */
  | {
      readonly kind: 'ended';
      readonly partition: number;
      readonly nodes: Record<string, NodeReport>;
      readonly sent: number;
    }
  | { readonly kind: 'failed'; readonly code: string; readonly message: string; readonly exitCode: number }
  | { readonly kind: 'unreachable'; readonly peer: string; readonly forMs: number };

/** The coordinator to a node process. */
export type ToProcess =
  | {
      readonly kind: 'start';
      readonly startedAtMs: number;
      readonly addresses: Record<string, string>;
      readonly resume: readonly Resume[];
    }
  | { readonly kind: 'grant'; readonly grant: PartitionGrant }
  /** Tell when nothing from outside can get a tag up to this one. */
  | { readonly kind: 'raise-floor'; readonly partition: number; readonly tag: Tag }
  | { readonly kind: 'stop-ask'; readonly round: number; readonly tag: Tag; readonly isFinal: boolean }
  | { readonly kind: 'stop'; readonly tag: Tag; readonly isFinal: boolean }
  | { readonly kind: 'force'; readonly code: string; readonly message: string; readonly exitCode: number }
  | { readonly kind: 'peer-restarted'; readonly peer: string; readonly address: string }
  /** A process is gone for good, and the others go on without it. */
  | { readonly kind: 'peer-gone'; readonly peer: string }
  | { readonly kind: 'end'; readonly report: DataflowReport };

/** Where a partition of a restarted process goes on. */
export interface Resume {
  readonly partition: number;
  /** Everything up to this tag is handled. */
  readonly safe: Tag;
  /** By edge the last tag that it has reported as sent. */
  readonly sent: readonly EdgeTag[];
  /** By edge what comes again at least: before that nothing is begun. */
  readonly need: readonly EdgeTag[];
  /** The last tag it has handled, as far as known. */
  readonly last: Tag;
}

/** One process to another. */
export type ToPeer =
  | { readonly kind: 'data'; readonly edge: number; readonly tag: Tag; readonly payload: Uint8Array }
  /** Everything on an edge up to this tag is handled: there is room for as much again. */
  | { readonly kind: 'credit'; readonly edge: number; readonly tag: Tag }
  /** The stop tag was handled: everything for it has been sent over the edge. */
  | { readonly kind: 'last'; readonly edge: number };

export type Message = ToCoordinator | ToProcess | ToPeer;
