import type { Arrival } from '../engine/scheduler.js';
import { RecordingMismatchError } from '../errors/recording-mismatch.error.js';
import type { GraphModel } from '../graph/model.js';
import { check } from '../option-checks.js';
import type { RunStatus } from '../report.js';
import type { Tag } from '../time/tag.js';

/**
 * Everything about a run that cannot be recomputed. It is plain data, and JSON preserves it if JSON preserves the
 * payloads. See `Dataflow.recording()` for an example.
 *
 * @publicApi
 */
export interface Recording {
  /** Version of the graph. */
  readonly version: string;
  readonly seed: string;
  /** Wall-clock time of the start, in ms since 1970. */
  readonly startedAtMs: number;
  readonly arrivals: readonly Arrival[];
  /** The last tag and status. Both are missing if the run was stopped by force before its last tag. */
  readonly stopTag?: Tag;
  readonly status?: RunStatus;
}

/** @throws InvalidDataflowOptionError */
export const assertRecording = (recording: Recording): void =>
  check.knownKeys(recording, ['version', 'seed', 'startedAtMs', 'arrivals', 'stopTag', 'status'], 'replay');

/** @throws RecordingMismatchError */
export function assertFits({ version }: Recording, graph: GraphModel): void {
  if (version !== graph.version) throw new RecordingMismatchError(version, graph.version);
}
