import { UnknownPortError } from '../errors/unknown-port.error.js';
import { AmbiguousMemberError } from '../errors/ambiguous-member.error.js';
import {
  Dataflow,
  DataflowNode,
  type GraphBuilder,
  Input,
  InputPort,
  InvalidDataflowOptionError,
  LogicalAction,
  type NodeClass,
  type NodeContext,
  OnStart,
  OnTimer,
  Output,
  OutputPort,
  PhysicalAction,
  Reaction,
  type Span,
  span,
} from '../index.js';

const build = (graph: (g: GraphBuilder) => void) => new Dataflow({ graph }).graph;
const buildAlone = (type: NodeClass) => () => build((g) => g.node(type));
const nothing = (): void => undefined;

describe('a graph', () => {
  it('requires a node', () => {
    expect(() => build(nothing)).toThrow(InvalidDataflowOptionError);
    expect(() => build(nothing)).toThrow('a function that adds at least one node');
  });

  it('rejects triggers, reads and writes that its node does not have', () => {
    class Base {
      @Input() in!: InputPort<number>;
      @Output() out!: OutputPort<number>;
      @LogicalAction() soon!: LogicalAction;
      @PhysicalAction() door!: PhysicalAction;
    }
    @DataflowNode()
    class Triggered extends Base {
      // @ts-expect-error the member does not exist
      @Reaction('inn') run(): void {}
    }
    @DataflowNode()
    class Reads extends Base {
      @Reaction('in', { reads: ['out'] }) run(): void {}
    }
    @DataflowNode()
    class Writes extends Base {
      @Reaction('door', { writes: ['in'] }) run(): void {}
    }
    expect(buildAlone(Triggered)).toThrow(UnknownPortError);
    expect(buildAlone(Triggered)).toThrow('Node "triggered" has no port or action "inn". Known: in, soon, door.');
    expect(buildAlone(Reads)).toThrow('Node "reads" has no port or action "out". Known: in.');
    expect(buildAlone(Writes)).toThrow('Node "writes" has no port or action "in". Known: out.');
  });

  it('rejects a property that is declared in two ways', () => {
    class Base {
      @Input() both!: unknown;
    }
    @DataflowNode()
    class Torn extends Base {
      @Output() declare both: unknown;
    }
    expect(buildAlone(Torn)).toThrow(AmbiguousMemberError);
    expect(buildAlone(Torn)).toThrow('Node "torn" declares "both" in more than one way');
  });

  it.each([
    [{ offset: -1 }, '`offset of timer clock.tick` is -1'],
    [{ offset: 0.5 }, '`offset of timer clock.tick` is 0.5'],
    [{ period: 0 }, '`period of timer clock.tick` is 0'],
    [{ period: -5 }, '`period of timer clock.tick` is -5'],
    [{ period: NaN }, '`period of timer clock.tick` is NaN'],
  ])('rejects the timer %p', (options, message) => {
    @DataflowNode()
    class Clock {
      @OnTimer(options as never) tick(): void {}
    }
    expect(buildAlone(Clock)).toThrow(InvalidDataflowOptionError);
    expect(buildAlone(Clock)).toThrow(message);
  });

  it('rejects onCrash: restart for a node that schedules events', async () => {
    @DataflowNode({ onCrash: 'restart' })
    class Planner {
      @LogicalAction() soon!: LogicalAction;
    }
    expect(buildAlone(Planner)).toThrow('events that "planner" schedules (soon) are lost when its process crashes');
    @DataflowNode({ onCrash: 'restart' })
    class Sly {
      @OnStart() begin(ctx: NodeContext): void {
        ctx.schedule(span.ms(1), nothing);
      }
    }
    const report = await new Dataflow({ graph: (g) => g.node(Sly), fast: true }).run();
    expect(report.error!.message).toContain('`onCrash of node "sly"` is');
  });

  it('rejects an onLate handler that is not a method', () => {
    @DataflowNode()
    class Patient {
      @Input({ onLate: 'late' }) in!: InputPort<number>;
      @Input({ onLate: 'missing' }) other!: InputPort<number>;
      late(): void {}
    }
    expect(buildAlone(Patient)).toThrow(
      '`onLate of input "other" of node "patient"` is \'missing\', but must be the name of a method of Patient',
    );
  });

  it('accepts a node without ports and reactions', () => {
    @DataflowNode()
    class Hermit {}
    expect(build((g) => g.node(Hermit)).nodes).toHaveLength(1);
  });
});

describe('the version of a graph', () => {
  @DataflowNode()
  class Source {
    @Output() out!: OutputPort<number>;
    @OnTimer({ period: span.ms(1) }) tick(): void {}
  }
  @DataflowNode()
  class Sink {
    @Input() in!: InputPort<number>;
    @Reaction('in') take(): void {}
  }
  @DataflowNode({ name: 'sink' })
  class Keeper {
    @Input({ retain: true }) in!: InputPort<number>;
    @Reaction('in') take(): void {}
  }
  @DataflowNode({ name: 'source' })
  class Faster {
    @Output() out!: OutputPort<number>;
    @OnTimer({ period: span.ms(2) }) tick(): void {}
  }

  const versionWith = (source: typeof Source, sink: typeof Sink, after?: Span, isPhysical = false) =>
    build((g) => {
      const [a, b] = [g.node(source), g.node(sink)];
      if (isPhysical) g.connectPhysical(a.out, b.in);
      else g.connect(a.out, b.in, after === undefined ? {} : { after });
    }).version;

  it('is the same for the same graph', () => {
    expect(versionWith(Source, Sink)).toBe(versionWith(Source, Sink));
    expect(versionWith(Source, Sink)).toMatch(/^[0-9a-f]{16}$/);
  });

  it('changes with everything that determines the trace', () => {
    const versions = [
      versionWith(Source, Sink),
      versionWith(Source, Sink, span.ns(0)),
      versionWith(Source, Sink, span.ms(1)),
      versionWith(Source, Sink, undefined, true),
      versionWith(Faster, Sink),
      versionWith(Source, Keeper),
    ];
    expect(new Set(versions).size).toBe(versions.length);
  });
});
