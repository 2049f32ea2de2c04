import type { DataflowError } from '../errors/dataflow.error.js';
import type { StopRequest } from '../node/context.js';
import type { DataflowReport } from '../report.js';
import type { Tag } from '../time/tag.js';
import type { GraphDescription } from './describe.js';
import type { Recording } from './recording.js';

/** Answer to a stop request. @publicApi */
export interface StopGrant {
  readonly stopTag: Tag;
  /**
   * Whether the stop tag is the requested one. False if a node had already passed it, or another request was for an
   * earlier tag.
   */
  readonly asAsked: boolean;
}

/** One run of a graph in some placement. */
export interface DataflowRun {
  /** Runs the graph. Called once. */
  run(): Promise<DataflowReport>;
  requestStop(request: StopRequest): Promise<StopGrant>;
  /**
   * Stops by force. Only the first error counts. Resolves when the shutdown methods of the nodes have finished or timed
   * out.
   */
  force(error: DataflowError): Promise<void>;
  describe(): GraphDescription;
  recording(): Recording;
}
