import { runEmbedded, runInBadWeather, runInMemory, runOverTcp } from '../dataflow/placements.js';
import { endOf, wholeEnd } from '../dataflow/programs/end-of.js';
import { PROGRAMS } from '../dataflow/programs/index.js';
import type { Program } from '../dataflow/programs/program.js';

/** A connection that is cut at the very end is waited for. */
const TIMEOUT_MS = 30_000;
const SEED = Date.now() % 1_000_000;
const PLACEMENTS = {
  'over a network in memory': runInMemory,
  [`over a network that is slow, unfair and breaks (seed ${SEED})`]: (program: Program) =>
    runInBadWeather(program, SEED),
  'over TCP': runOverTcp,
};

describe.each(PROGRAMS)('the program $name', (program) => {
  const { expected, embedded = expected, isDeterministic } = program;

  it('ends as it should in one process', async () => {
    expect(endOf(await runEmbedded(program), embedded)).toEqual(wholeEnd(embedded));
  });

  it.each(Object.entries(PLACEMENTS))(
    'ends as it should %s, with the same digest',
    async (_, run) => {
      const report = await run(program);

      expect(endOf(report, expected)).toEqual(wholeEnd(expected));
      if (isDeterministic) expect(report.digest).toBe((await runEmbedded(program)).digest);
    },
    TIMEOUT_MS,
  );
});
