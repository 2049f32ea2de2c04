import type { DataflowError } from '../errors/dataflow.error.js';
import type { StopRequest } from '../node/context.js';
import type { DataflowReport } from '../report.js';
import type { Tag } from '../time/tag.js';
import type { GraphDescription } from './describe.js';
import type { Recording } from './recording.js';

/** Where a graph will stop. @publicApi */
export interface StopGrant {
  readonly stopTag: Tag;
  /** False when a node was further than the tag that was asked for, or another request was for an earlier one. */
  readonly asAsked: boolean;
}

/** One run of a graph, in some placement. */
export interface DataflowRun {
  /** Called once. */
  run(): Promise<DataflowReport>;
  requestStop(request: StopRequest): Promise<StopGrant>;
  /** Stops at once. The first error counts. Resolves when the nodes have shut down or their time is over. */
  force(error: DataflowError): Promise<void>;
  describe(): GraphDescription;
  recording(): Recording;
}
