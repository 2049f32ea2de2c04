import { counted } from '@roost/kernel';
import { formatDuration } from '@roost/time';
import type { Run } from './run.js';

/** Maximum number of entries of a list in a log line. */
const SHOWN = 5;

/**
 * Describes the work of these runs in one line: `consumer: step 1042 (order 42 for 3.2 s), poller: 3 items in flight`.
 */
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
  return `${runs.length} concurrent runs, oldest for ${formatDuration(now - oldest)}`;
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
