import { counted } from '@roost/kernel';
import { formatDuration } from '@roost/time';
import type { ActorSystemReport } from '../actor-system.js';
import { ActorError } from './actor.error.js';

const MOST_NAMED = 10;

/** Actors were still running at the shutdown deadline and were force-stopped. `report` lists all of them. @publicApi */
export class ActorsForcedError extends ActorError {
  constructor(
    readonly system: string,
    readonly report: ActorSystemReport,
  ) {
    const { forced, stuck, durationMs } = report;
    const stuckPaths = new Set(stuck.map(({ path }) => path));
    const others = forced.filter((path) => !stuckPaths.has(path));
    const parts = [
      named(
        'stuck',
        stuck.map(({ path, handling }) => `${path} (${handling})`),
      ),
      named('not finished', others),
    ].filter(Boolean);
    const count = `${counted(forced.length, 'actor')} ${forced.length === 1 ? 'was' : 'were'}`;
    super(
      'ACTORS_FORCED',
      `${count} force-stopped in system "${system}" after ${formatDuration(durationMs)}: ${parts.join('; ')}.`,
    );
  }
}

function named(what: string, names: readonly string[]): string {
  if (names.length === 0) return '';
  const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : '';
  return `${what}: ${names.slice(0, MOST_NAMED).join(', ')}${more}`;
}
