import type { DataflowError } from './errors/dataflow.error.js';
import type { Tag } from './time/tag.js';

/** Result of a node in a run. @publicApi */
export interface NodeReport {
  /** Number of tags at which its reactions ran. */
  readonly tags: number;
  /** Number of times that its reactions ran. */
  readonly firings: number;
  /** Digest of everything that the node has read and written, with the tags. */
  readonly digest: string;
}

/**
 * How a run ended: `completed` because there was nothing left to do, `stopped` at a requested stop tag, or `forced`, in
 * which case events may be lost.
 *
 * @publicApi
 */
export type RunStatus = 'completed' | 'stopped' | 'forced';

/** Result of a run. @publicApi */
export interface DataflowReport {
  readonly status: RunStatus;
  /** Exit code for the process. 0 unless the run was stopped by force. */
  readonly exitCode: number;
  /** The last tag. Undefined if the run was stopped by force or before it started. */
  readonly stopTag: Tag | undefined;
  /**
   * Digest of the traces of all nodes. The same graph with the same inputs has the same digest, regardless of
   * placement.
   */
  readonly digest: string;
  readonly nodes: Readonly<Record<string, NodeReport>>;
  /** Number of progress messages between processes. */
  readonly controlMessages: number;
  /** Number of messages over connections between processes. */
  readonly dataMessages: number;
  /** Why the run was stopped by force. */
  readonly error: DataflowError | undefined;
}
