import type { DataflowError } from './errors/dataflow.error.js';
import type { Tag } from './time/tag.js';

/** What became of a node. @publicApi */
export interface NodeReport {
  /** Tags at which a reaction of it ran. */
  readonly tags: number;
  /** How often reactions of it ran. */
  readonly firings: number;
  /** Stands for everything it has seen and said, with the tags. */
  readonly digest: string;
}

/**
 * How a run ended: `completed` when there was nothing left to do, `stopped` at a stop tag that was asked for, `forced` when
 * events may be lost.
 *
 * @publicApi
 */
export type RunStatus = 'completed' | 'stopped' | 'forced';

/** @publicApi */
export interface DataflowReport {
  readonly status: RunStatus;
  /** 0 unless the run was stopped by force. */
  readonly exitCode: number;
  /** The last tag. When the run was stopped by force there is none. */
  readonly stopTag: Tag | undefined;
  /** Stands for the traces of all nodes. The same graph on the same inputs has the same, wherever its nodes are placed. */
  readonly digest: string;
  readonly nodes: Readonly<Record<string, NodeReport>>;
  /** Messages about progress between processes. */
  readonly controlMessages: number;
  /** Messages over connections between processes. */
  readonly dataMessages: number;
  /** Why it was stopped by force. */
  readonly error: DataflowError | undefined;
}
