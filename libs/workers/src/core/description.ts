import { counted } from '@roost/kernel';
import { formatDuration } from '@roost/time';
import type { Run } from './run.js';

/**
 * `waiting` for the start, `running`, `restarting` (waits for its next run), `stopping` (told to, and not done yet),
 * `ended`, or `failed`: it will not be restarted.
 *
 * @publicApi
 */
export type ProcessState = 'waiting' | 'running' | 'restarting' | 'stopping' | 'ended' | 'failed';

/** @publicApi */
export interface ProcessDescription {
  readonly name: string;
  readonly state: ProcessState;
  /** How often `isRunning()` has said yes, over all runs. */
  readonly steps: number;
  readonly restarts: number;
  /** It has failed several times in a row, and has not been well for `resetAfterMs` since. */
  readonly crashLoop: boolean;
  /** The text of the last error. */
  readonly lastError?: string;
  readonly holds: readonly { readonly name: string; readonly ageMs: number }[];
  /** Of `consume()`. */
  readonly itemsInFlight: number;
  /** What a shutdown would wait for now: holds and items, or else 1 in the middle of a step. */
  readonly inFlight: number;
  /** For how long it has been in that state. */
  readonly sinceMs: number;
}

/** Lists in a line of a log end after so many. */
const SHOWN = 5;

/** What these runs are doing, in one line: `consumer: step 1042 (order 42 for 3.2 s), poller: 3 items in flight`. */
export function describeRuns(runs: Iterable<Run>, now: number): string {
  const byName = new Map<string, Run[]>();
  for (const run of runs) {
    const ofName = byName.get(run.name);
    if (ofName) ofName.push(run);
    else byName.set(run.name, [run]);
  }
  const texts = [...byName].map(([name, ofName]) => `${name}: ${textOfRuns(ofName, now)}`);
  return shorten(texts) || 'nothing';
}

function textOfRuns(runs: readonly Run[], now: number): string {
  if (runs.length <= SHOWN) return runs.map((run) => textOfRun(run, now)).join(' and ');
  const oldest = runs.reduce((earliest, { startedAt }) => Math.min(earliest, startedAt), Infinity);
  return `${runs.length} at a time, oldest for ${formatDuration(now - oldest)}`;
}

function textOfRun(run: Run, now: number): string {
  const holds = shorten([...run.leases].map(({ name, heldSince }) => `${name} for ${formatDuration(now - heldSince)}`));
  if (run.consumptions.size > 0) return `${textOfConsumptions(run, now)}${holds && ` (${holds})`}`;
  if (run.hasSettled) return `held by ${holds}`;
  const step = run.steps > 0 ? `step ${run.steps}` : `for ${formatDuration(now - run.startedAt)}`;
  return `${step}${holds && ` (${holds})`}`;
}

function textOfConsumptions(run: Run, now: number): string {
  const consumptions = [...run.consumptions];
  const items = run.itemsInFlight;
  if (items === 0) {
    return consumptions.some((one) => one.waitsForSource)
      ? 'waiting for its source; pass the signal to it'
      : 'waiting for items';
  }
  const starts = consumptions.map(({ oldestItem }) => oldestItem?.startedAt ?? Infinity);
  return `${counted(items, 'item')} in flight, oldest for ${formatDuration(now - Math.min(...starts))}`;
}

const shorten = (texts: readonly string[]): string =>
  texts.slice(0, SHOWN).join(', ') + (texts.length > SHOWN ? ` and ${texts.length - SHOWN} more` : '');
