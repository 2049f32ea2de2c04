import { Dataflow, placeInProcess, span } from '../index.js';
import { diamond } from '../run/diamond.fixture.js';
import { MemoryNetwork } from '../testing/memory-network.js';

describe('ProcessRun', () => {
  it('gives the same result in several processes as in one', async () => {
    const options = { graph: diamond, fast: true, timeout: span.ms(99) };
    const alone = await new Dataflow(options).run();
    const placement = { processes: { a: ['source'], b: ['twice'], c: ['sink'] } };
    const network = new MemoryNetwork();
    const flows = ['a', 'b', 'c', 'coordinator'].map(
      (process) =>
        new Dataflow(options, undefined, placeInProcess({ ...options, placement, process, transport: network })),
    );
    const reports = await Promise.all(flows.map((flow) => flow.run()));
    for (const report of reports)
      expect(report).toMatchObject({ status: 'stopped', exitCode: 0, digest: alone.digest, nodes: alone.nodes });
  });

  it.each([
    ['seed', { seed: 'another' }],
    ['timeout', { timeout: span.ms(5) }],
    ['fast', { fast: false }],
    ['placement', { placement: { processes: { a: ['source', 'twice'], b: [], c: ['sink'] } } }],
  ])('stops all processes when one has another %s than the coordinator', async (_, other) => {
    const network = new MemoryNetwork();
    const placement = { processes: { a: ['source'], b: ['twice'], c: ['sink'] } };
    const flows = ['a', 'b', 'c', 'coordinator'].map((process) => {
      const options = {
        graph: diamond,
        fast: true,
        timeout: span.ms(9),
        placement,
        process,
        transport: network,
        logger: { log: () => undefined, warn: () => undefined, error: () => undefined },
        ...(process === 'a' && other),
      };
      return new Dataflow(options, undefined, placeInProcess(options));
    });
    for (const report of await Promise.all(flows.map((flow) => flow.run()))) {
      expect(report).toMatchObject({ status: 'forced', exitCode: 1, error: { code: 'DATAFLOW_GRAPH_VERSION' } });
      expect(report.error?.message).toMatch(/^Process "a" .*the placement, fast, timeout, seed or replay differs/);
    }
  });
});
