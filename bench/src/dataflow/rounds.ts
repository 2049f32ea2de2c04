import { median } from '../harness.js';

/**
 * Of rounds by when each began, in ms. The median, because who shares the machine takes the longest rounds further; the first
 * fifth warms up.
 */
export function medianRoundUs(times: ArrayLike<number>): number {
  const rounds: number[] = [];
  for (let n = Math.floor(times.length / 5); n + 1 < times.length; n++) rounds.push(times[n + 1]! - times[n]!);
  return median(rounds) * 1_000;
}
