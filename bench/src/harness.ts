/** One figure. `ratio` is relative to the baseline of the same run. `ok` tells whether the bar was met. */
export interface Figure {
  bench: string;
  case: string;
  /** Null when the measurement failed. */
  value: number | null;
  unit: string;
  baseline: number | null;
  ratio: number | null;
  bar: number | null;
  ok: boolean;
}

const asJson = process.argv.includes('--json');

/**
 * Prints one JSON object per line with `--json`, otherwise a table at the end. Fails the process when a bar is missed.
 */
export async function runBench(measure: (report: (figure: Figure) => void) => Promise<void>): Promise<void> {
  const figures: Figure[] = [];
  await measure((figure) => {
    figures.push(figure);
    if (asJson) console.log(JSON.stringify(figure));
  });
  if (!asJson) console.table(figures.map(({ bench: _, ...figure }) => figure));
  if (figures.some((figure) => !figure.ok)) process.exitCode = 1;
}

export const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)]!;
};

export const round = (value: number): number => Math.round(value * 1_000) / 1_000;
