import { median } from '../harness.js';

/**
 * Returns the median duration of rounds in ms, from their start times. The median ignores rounds that other load on the
 * machine made longer. The first fifth is a warm-up.
 */
export function medianRoundUs(times: ArrayLike<number>): number {
  const rounds: number[] = [];
  for (let n = Math.floor(times.length / 5); n + 1 < times.length; n++) rounds.push(times[n + 1]! - times[n]!);
  return median(rounds) * 1_000;
}
