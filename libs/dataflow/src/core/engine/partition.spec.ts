import { ManualClock } from '@roost/time/testing';
import { TardyInputError } from '../errors/tardy-input.error.js';
import {
  Dataflow,
  type DataflowError,
  DataflowNode,
  type GraphBuilder,
  Input,
  InputPort,
  type NodeContext,
  OnStart,
  OnTimer,
  Output,
  OutputPort,
  Reaction,
  ReactionFailedError,
  span,
  type Tag,
} from '../index.js';
import { seal } from '../payload/seal.js';
import { at, never, RecordingLogger } from '../run/graph.fixture.js';
import { isBefore } from '../time/tag.js';
import { Partition } from './partition.js';
import { Timeline } from './timeline.js';

@DataflowNode()
class Source {
  @Output() out!: OutputPort<number>;
  @OnTimer({ offset: span.ms(2), period: span.ms(10) }) tick({ now }: NodeContext): void {
    this.out.set(now.time / 1e6);
  }
  readonly begun: string[] = [];
  @OnStart() begin(): void {
    this.begun.push('start');
  }
  @OnTimer({ offset: span.ms(3) }) once(): void {
    this.begun.push('once');
  }
}

@DataflowNode()
class Sink {
  @Input() plain!: InputPort<number>;
  @Input({ onLate: 'late' }) patient!: InputPort<number>;
  @Input() physical!: InputPort<number>;
  readonly seen: [Tag, number | undefined, number | undefined, number | undefined][] = [];
  readonly late_: unknown[] = [];

  @Reaction('plain', 'patient', 'physical')
  take({ now }: NodeContext): void {
    this.seen.push([now, this.plain.value, this.patient.value, this.physical.value]);
  }

  late(value: number, tag: Tag): void | Promise<void> {
    this.late_.push([value, tag]);
    if (value === 13) throw new Error('not thirteen');
    if (value === 17) return Promise.reject(new Error('not seventeen'));
  }
}

const graph = (g: GraphBuilder): void => {
  const [source, sink] = [g.node(Source), g.node(Sink)];
  g.connect(source.out, sink.plain);
  g.connect(source.out, sink.patient, { after: span.ms(5) });
  g.connectPhysical(source.out, sink.physical);
};

/** One node of the graph with its own scheduler, which handles tags before `bound`. */
const alone = (name: string) => {
  const model = new Dataflow({ graph }).graph;
  const clock = new ManualClock();
  const [sent, failures]: [[number, Tag, unknown][], DataflowError[]] = [[], []];
  const instances = new Map<string, object>();
  let bound = at(0);
  const partition = new Partition({
    nodes: model.nodes.filter((node) => node.name === name),
    instanceOf: ({ type }) => {
      const instance = new (type as new () => object)();
      instances.set(name, instance);
      return instance;
    },
    isFast: true,
    isTraced: false,
    lagWarningMs: 1_000,
    logger: new RecordingLogger(),
    timeline: new Timeline(clock),
    seed: 'x',
    signal: new AbortController().signal,
    replay: undefined,
    requestStop: () => undefined,
    sendAway: (edge, tag, { value }) => void sent.push([edge.index, tag, value]),
    arrived: () => undefined,
    failed: (error) => void failures.push(error),
  });
  const admission = { admits: (tag: Tag) => isBefore(tag, bound), pausing: () => undefined, handled: () => undefined };
  const goTo = async (tag: Tag) => {
    bound = tag;
    partition.wake();
    await clock.advanceAsync(0);
  };
  const [plain, patient, physical] = model.edges;
  return {
    partition,
    clock,
    sent,
    failures,
    admission,
    goTo,
    plain: plain!,
    patient: patient!,
    physical: physical!,
    instances,
  };
};

describe('Partition', () => {
  it('handles only tags that admission control admits', async () => {
    const { partition, admission, goTo, sent } = alone('source');
    void partition.run(admission);
    await goTo(at(span.ms(2)));
    expect(sent).toEqual([]);
    await goTo(at(span.ms(2), 1));
    expect(sent).toHaveLength(3);
    partition.halt();
  });

  it('sends messages to other partitions with the tag at which they arrive', async () => {
    const { partition, admission, goTo, sent } = alone('source');
    void partition.run(admission);
    await goTo(at(span.ms(13)));
    expect(sent).toEqual([
      [0, at(span.ms(2)), 2],
      [1, at(span.ms(7)), 2],
      [2, at(span.ms(2)), 2],
      [0, at(span.ms(12)), 12],
      [1, at(span.ms(17)), 12],
      [2, at(span.ms(12)), 12],
    ]);
    partition.halt();
  });

  it('handles messages from other partitions at their tag, all of one tag together', async () => {
    const { partition, admission, goTo, instances, plain, patient } = alone('sink');
    void partition.run(admission);
    await goTo(at(span.ms(1)));
    expect(partition.deliver(plain, at(span.ms(3)), seal(3))).toEqual(at(span.ms(3)));
    partition.deliver(patient, at(span.ms(3)), seal(4));
    partition.deliver(plain, at(span.ms(2)), seal(2));
    await goTo(at(span.ms(5)));
    expect((instances.get('sink') as Sink).seen).toEqual([
      [at(span.ms(2)), 2, undefined, undefined],
      [at(span.ms(3)), 3, 4, undefined],
    ]);
    partition.halt();
  });

  it('tags messages over a physical connection when they arrive', async () => {
    const { partition, admission, goTo, clock, instances, physical } = alone('sink');
    void partition.run(admission);
    await goTo(at(span.ms(1)));
    await clock.advanceAsync(4);
    expect(partition.deliver(physical, at(span.ms(1)), seal(9))).toEqual(at(span.ms(4)));
    await goTo(at(span.ms(5)));
    expect((instances.get('sink') as Sink).seen).toEqual([[at(span.ms(4)), undefined, undefined, 9]]);
    partition.halt();
  });

  const pastTheTag = async () => {
    const fixture = alone('sink');
    void fixture.partition.run(fixture.admission);
    await fixture.goTo(at(span.ms(1)));
    fixture.partition.deliver(fixture.plain, at(span.ms(4)), seal(1));
    await fixture.goTo(at(span.ms(5)));
    return fixture;
  };

  it('fails when a message arrives for a handled tag', async () => {
    for (const tag of [at(span.ms(4)), at(span.ms(3), 7)]) {
      const { partition, failures, plain } = await pastTheTag();
      partition.deliver(plain, tag, seal(1));
      expect(failures).toEqual([expect.any(TardyInputError)]);
      expect(failures[0]).toMatchObject({ edge: 'source.out → sink.plain', tag, current: at(span.ms(4)) });
      expect(failures[0]!.message).toContain('when the receiver was already at (4 ms, 0)');
      partition.halt();
    }
  });

  it('passes a late message to the onLate method of the input, and continues', async () => {
    const { partition, failures, patient, instances, goTo } = await pastTheTag();
    partition.deliver(patient, at(span.ms(2)), seal(5));
    partition.deliver(patient, at(span.ms(6)), seal(6));
    await goTo(at(span.ms(8)));
    const sink = instances.get('sink') as Sink;
    expect(sink.late_).toEqual([[5, at(span.ms(2))]]);
    expect(sink.seen.at(-1)).toEqual([at(span.ms(6)), undefined, 6, undefined]);
    expect(failures).toEqual([]);
    partition.halt();
  });

  it.each([
    [13, 'not thirteen'],
    [17, 'not seventeen'],
  ])('fails when the onLate method fails, as with %d', async (value, message) => {
    const { partition, failures, patient, clock } = await pastTheTag();
    partition.deliver(patient, at(span.ms(2)), seal(value));
    await clock.advanceAsync(0);
    expect(failures).toEqual([expect.any(ReactionFailedError)]);
    expect(failures[0]!.message).toContain(`sink.late() failed at (2 ms, 0): ${message}`);
    partition.halt();
  });

  it('can stop before its first tag', async () => {
    const { partition, admission, sent } = alone('source');
    expect(partition.scheduler.earliestStop).toEqual(at(0));
    partition.scheduler.stopAt(at(0));
    await partition.run({ ...admission, admits: () => true });
    expect([sent, partition.scheduler.tag, partition.lagMs]).toEqual([[], at(0), 0]);
  });

  it('does not run start reactions again when it resumes after a restart', async () => {
    const { partition, admission, goTo, sent, instances } = alone('source');
    void partition.run(admission, at(span.ms(12)));
    await goTo(at(span.ms(33)));
    expect((instances.get('source') as Source).begun).toEqual([]);
    expect(sent.filter(([edge]) => edge === 0).map(([, tag]) => tag)).toEqual([at(span.ms(22)), at(span.ms(32))]);
    partition.halt();
  });
});

describe('Partition.halt', () => {
  it('ends a waiting run, and keeps a run that has not started from running reactions', async () => {
    const { partition, admission } = alone('source');
    partition.halt();
    await partition.shutDown();
    await partition.run(admission);
    expect(partition.report()).toMatchObject({ source: { firings: 0 } });
  });

  it('ends a run whose reaction never settles', async () => {
    @DataflowNode()
    class Hangs {
      @OnStart() run(): Promise<void> {
        return never();
      }
    }
    const { graph: model } = new Dataflow({ graph: (g) => g.node(Hangs) });
    const fixture = alone('source');
    const partition = new Partition({
      ...(fixture.partition as unknown as { options: ConstructorParameters<typeof Partition>[0] }).options,
      nodes: model.nodes,
      instanceOf: () => new Hangs(),
    });
    const run = partition.run({ ...fixture.admission, admits: () => true });
    partition.halt();
    await run;
    expect(partition.scheduler.delayOf(0)).toEqual(at(0, 1));
  });
});
