import { Hosts, type Network } from '../../dataflow/hosts.js';
import { runEmbedded } from '../../dataflow/placements.js';
import { endOf, wholeEnd } from '../../dataflow/programs/end-of.js';
import { PROGRAMS } from '../../dataflow/programs/index.js';
import { randomSubject } from '../../dataflow/subject.js';
import { type Broker, installBrokers, startNats } from '../../support/brokers.js';

const SEED = Date.now() % 1_000_000;
const DIAMOND_TAGS = 10_000;
const TIMEOUT_MS = 60_000;

let broker: Broker;
let hosts: Hosts;

beforeAll(async () => {
  await installBrokers();
  broker = await startNats();
  hosts = new Hosts();
}, 300_000);

afterAll(async () => {
  await hosts.stop();
  await broker.stop();
});

describe.each([
  ['TCP', (): Network => ({ tcp: true })],
  ['NATS', (): Network => ({ nats: broker.port })],
])('processes over %s', (_, network) => {
  it.each(PROGRAMS)(
    'run the program $name as expected, with the same digest as in one process',
    async (program) => {
      const report = await hosts.run({ program: program.name }, network());

      expect(endOf(report, program.expected)).toEqual(wholeEnd(program.expected));
      if (program.isDeterministic) expect(report.digest).toBe((await runEmbedded(program)).digest);
    },
    TIMEOUT_MS,
  );

  it(
    'run random graphs with the same digest as in one process',
    async () => {
      for (let graph = SEED; graph < SEED + 10; graph++) {
        const { error, digest } = await hosts.run({ graph, interleaving: SEED }, network());

        expect({ graph, error, digest }).toEqual({
          graph,
          error: undefined,
          digest: (await runEmbedded(randomSubject(graph, 0))).digest,
        });
      }
    },
    TIMEOUT_MS,
  );

  it(
    'join 10,000 tags of a diamond exactly',
    async () => {
      const { error, status, nodes } = await hosts.run({ diamond: DIAMOND_TAGS }, network());

      expect({ error, status, firings: nodes.join?.firings }).toEqual({
        error: undefined,
        status: 'stopped',
        firings: DIAMOND_TAGS + 1,
      });
    },
    TIMEOUT_MS,
  );
});
