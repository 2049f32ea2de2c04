import {
  Dataflow,
  DataflowNode,
  type GraphBuilder,
  Input,
  InputPort,
  OnTimer,
  Output,
  OutputPort,
  placeInProcess,
  Reaction,
  span,
} from '../index.js';
import { MemoryNetwork } from '../testing/memory-network.js';

@DataflowNode()
class Source {
  @Output() out!: OutputPort<number>;
  #count = 0;

  @OnTimer({ period: span.ms(1) })
  tick(): void {
    this.out.set(++this.#count);
  }
}

@DataflowNode()
class Twice {
  @Input() in!: InputPort<number>;
  @Output() out!: OutputPort<number>;

  @Reaction('in')
  async double(): Promise<void> {
    await Promise.resolve();
    this.out.set(this.in.value! * 2);
  }
}

@DataflowNode()
class Sink {
  @Input() direct!: InputPort<number>;
  @Input() doubled!: InputPort<number>;
  readonly seen: [number | undefined, number | undefined][] = [];

  @Reaction('direct', 'doubled')
  take(): void {
    this.seen.push([this.direct.value, this.doubled.value]);
  }
}

const graph = (g: GraphBuilder): void => {
  const [source, twice, sink] = [g.node(Source), g.node(Twice), g.node(Sink)];
  g.connect(source.out, twice.in);
  g.connect(source.out, sink.direct);
  g.connect(twice.out, sink.doubled);
};

describe('ProcessRun', () => {
  it('gives the same result over processes as in one', async () => {
    const options = { graph, fast: true, timeout: span.ms(99) };
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
  ])('refuses a process with another %s than the coordinator, and all end', async (_, other) => {
    const network = new MemoryNetwork();
    const placement = { processes: { a: ['source'], b: ['twice'], c: ['sink'] } };
    const flows = ['a', 'b', 'c', 'coordinator'].map((process) => {
      const options = {
        graph,
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
      expect(report.error?.message).toMatch(/^Process "a" .*not the placement, fast, timeout, seed or replay/);
    }
  });
});
