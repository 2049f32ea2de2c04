import { runEmbedded, runInBadWeather, runInMemory, runOverTcp } from '../dataflow/placements.js';
import { endOf, wholeEnd } from '../dataflow/programs/end-of.js';
import { PROGRAMS } from '../dataflow/programs/index.js';
import type { Program } from '../dataflow/programs/program.js';

/** Long enough for a connection that is cut at the very end. */
const TIMEOUT_MS = 30_000;
const SEED = Date.now() % 1_000_000;
const PLACEMENTS = {
  'over an in-memory network': runInMemory,
  [`over a slow, unfair and unreliable network (seed ${SEED})`]: (program: Program) => runInBadWeather(program, SEED),
  'over TCP': runOverTcp,
};

describe.each(PROGRAMS)('the program $name', (program) => {
  const { expected, embedded = expected, isDeterministic } = program;

  it('ends as expected in one process', async () => {
    expect(endOf(await runEmbedded(program), embedded)).toEqual(wholeEnd(embedded));
  });

  it.each(Object.entries(PLACEMENTS))(
    'ends as expected %s, with the same digest',
    async (_, run) => {
      const report = await run(program);

      expect(endOf(report, expected)).toEqual(wholeEnd(expected));
      if (isDeterministic) expect(report.digest).toBe((await runEmbedded(program)).digest);
    },
    TIMEOUT_MS,
  );
});
