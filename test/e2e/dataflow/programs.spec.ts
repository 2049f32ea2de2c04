import { type HostReport, Hosts, type Network } from '../../dataflow/hosts.js';
import { runEmbedded } from '../../dataflow/placements.js';
import { PROGRAMS } from '../../dataflow/programs/index.js';
import type { ProgramEnd } from '../../dataflow/programs/program.js';
import { randomSubject } from '../../dataflow/subject.js';
import { type Broker, installBrokers, startNats } from '../../support/brokers.js';

const SEED = Date.now() % 1_000_000;
const INSTALL_MS = 300_000;
const hosts = new Hosts();
let broker: Broker;

beforeAll(async () => {
  await installBrokers();
  broker = await startNats();
}, INSTALL_MS);

afterAll(async () => {
  await hosts.stop();
  await broker?.stop();
});

/** What an end says, of what the processes tell, and that nothing went wrong. */
const endOf = ({ status, exitCode, stopTag, nodes, error }: HostReport, expected: ProgramEnd): object => ({
  error,
  exitCode,
  status,
  ...(expected.stopTag && { stopTag }),
  firings: Object.fromEntries(Object.keys(expected.firings).map((name) => [name, nodes[name]?.firings])),
});

describe.each<[string, () => Network]>([
  ['TCP', () => ({ tcp: true })],
  ['NATS', () => ({ nats: broker.port })],
])('over OS processes that talk by %s', (_, network) => {
  it.each(PROGRAMS)('the program $name ends as in one process', async (program) => {
    const { name, expected, isDeterministic } = program;
    const report = await hosts.run({ program: name }, network());

    expect(endOf(report, expected)).toEqual({ error: undefined, exitCode: 0, ...expected });
    if (isDeterministic) expect(report.digest).toBe((await runEmbedded(program)).digest);
  });

  it('random graphs have the digest they have in one process', async () => {
    const problems: string[] = [];
    for (let graph = SEED; graph < SEED + 8; graph++) {
      const { digest } = await runEmbedded(randomSubject(graph, 0));
      const report = await hosts.run({ graph, interleaving: graph }, network());
      if (report.digest !== digest) problems.push(`graph ${graph}: ${report.error ?? report.digest}, not ${digest}`);
    }
    expect(problems).toEqual([]);
  });

  it('a diamond joins 10,000 tags exactly', async () => {
    const { error, status, nodes } = await hosts.run({ diamond: 10_000 }, network());

    expect({ error, status, firings: nodes['join']?.firings }).toEqual({
      error: undefined,
      status: 'stopped',
      firings: 10_000 + 1,
    });
  });
});
