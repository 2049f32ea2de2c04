import { UnknownPortError } from '../errors/unknown-port.error.js';
import { NotANodeError } from '../errors/not-a-node.error.js';
import { InvalidConnectionError } from '../errors/invalid-connection.error.js';
import { FanInError } from '../errors/fan-in.error.js';
import { DuplicateNodeError } from '../errors/duplicate-node.error.js';
import { DuplicateConnectionError } from '../errors/duplicate-connection.error.js';
import {
  DataflowNode,
  GraphBuilder,
  Input,
  InputPort,
  InvalidDataflowOptionError,
  Output,
  OutputPort,
  span,
} from '../index.js';
import { NO_DELAY, ONE_MICROSTEP } from '../time/tag.js';
import { describeEdge } from './model.js';

@DataflowNode()
class NumberSource {
  @Output() out!: OutputPort<number>;
  @Output() other!: OutputPort<number>;
}

@DataflowNode()
class NumberSink {
  @Input() in!: InputPort<number>;
  @Input() second!: InputPort<number>;
}

@DataflowNode({ name: 'texts' })
class TextSink {
  @Input() in!: InputPort<string>;
  @Input() either!: InputPort<string | number>;
}

const graph = () => {
  const g = new GraphBuilder();
  return { g, source: g.node(NumberSource), sink: g.node(NumberSink) };
};

const namesOf = (g: GraphBuilder) => g.build().nodes.map(({ name }) => name);

describe('g.node', () => {
  it('names a node after its class, unless a name is given', () => {
    @DataflowNode()
    class HTTPGateNode {}
    @DataflowNode()
    class Node {}
    const g = new GraphBuilder();
    g.node(HTTPGateNode);
    g.node(Node);
    g.node(TextSink);
    g.node(TextSink, { name: 'more_texts-2' });
    expect(namesOf(g)).toEqual(['httpgate', 'node', 'texts', 'more_texts-2']);
  });

  it('overrides the options of the class', () => {
    @DataflowNode({ realTime: true, onCrash: 'restart' })
    class Careful {}
    const g = new GraphBuilder();
    g.node(Careful);
    g.node(Careful, { name: 'careless', realTime: false, onCrash: 'treatAsDone' });
    expect(g.build().nodes).toMatchObject([
      { realTime: true, onCrash: 'restart' },
      { realTime: false, onCrash: 'treatAsDone' },
    ]);
  });

  it('rejects two nodes with the same name, and names their classes', () => {
    const { g } = graph();
    const twice = () => g.node(TextSink, { name: 'number-sink' });
    expect(twice).toThrow(DuplicateNodeError);
    expect(twice).toThrow('Two nodes of the graph are named "number-sink" (NumberSink and TextSink)');
  });

  it('rejects a value that is not a node class', () => {
    class Plain {}
    class Derived extends NumberSink {}
    const g = new GraphBuilder();
    for (const type of [Plain, Derived]) expect(() => g.node(type)).toThrow(NotANodeError);
    expect(() => g.node(Derived)).toThrow('Derived, which has no @DataflowNode()');
    expect(() => g.node(class {})).toThrow('a class, which has no @DataflowNode()');
    for (const type of [undefined, {}, 'NumberSink'])
      expect(() => g.node(type as never)).toThrow('got a value that is not a class');
  });

  it.each(['', 'with space', 'a.b', 'ä', 'x'.repeat(101), 5, null])('rejects the name %p', (name) => {
    const g = new GraphBuilder();
    expect(() => g.node(NumberSink, { name: name as string })).toThrow(InvalidDataflowOptionError);
  });

  it('rejects an unknown crash policy', () => {
    const { g } = graph();
    g.node(TextSink, { onCrash: 'ignore' as never });
    expect(() => g.build()).toThrow(
      '`onCrash of node "texts"` is \'ignore\', but must be one of "fail", "restart", "treatAsDone".',
    );
  });

  it('returns a handle that throws for an unknown port', () => {
    const { source } = graph();
    const unknown = () => (source as unknown as Record<string, unknown>)['exit'];
    expect(unknown).toThrow(UnknownPortError);
    expect(unknown).toThrow('Node "number-source" has no port or action "exit". Known: out, other.');
  });

  it('reports that a node has no ports', () => {
    @DataflowNode()
    class Hermit {}
    const hermit = new GraphBuilder().node(Hermit) as Record<string, unknown>;
    expect(() => hermit['in']).toThrow('Node "hermit" has no port or action "in". Known: none.');
  });
});

describe('g.connect', () => {
  it('applies the given delay: none, a microstep or time', () => {
    const { g, source, sink } = graph();
    g.connect(source.out, sink.in);
    g.connect(source.out, sink.second, { after: span.ns(0) });
    const texts = g.node(TextSink);
    g.connect(source.other, texts.either, { after: span.ms(5) });
    expect(g.build().edges.map((edge) => [describeEdge(edge), edge.delay, edge.isPhysical])).toEqual([
      ['number-source.out → number-sink.in', NO_DELAY, false],
      ['number-source.out → number-sink.second', ONE_MICROSTEP, false],
      ['number-source.other → texts.either', { time: span.ms(5), microstep: 0 }, false],
    ]);
  });

  it('is checked by the compiler', () => {
    const { g, source, sink } = graph();
    const texts = g.node(TextSink);
    g.connect(source.out, texts.either);
    // @ts-expect-error a number is not a string
    g.connect(source.out, texts.in);
    expect(() => {
      // @ts-expect-error the same over a physical connection
      g.connectPhysical(source.other, texts.in);
    }).toThrow(FanInError);
    expect(() => {
      // @ts-expect-error an input is not an output
      g.connect(sink.in, sink.second);
    }).toThrow(InvalidConnectionError);
    expect(() => {
      // @ts-expect-error the port does not exist
      g.connect(source.nothing, sink.in);
    }).toThrow(UnknownPortError);
    expect(() => {
      // @ts-expect-error merge requires matching outputs
      g.merge([source.out, texts.in], sink.in);
    }).toThrow(InvalidConnectionError);
    // @ts-expect-error a number is not a span
    g.connect(source.out, sink.second, { after: 5 });
  });

  it('rejects a duplicate connection, with any delay', () => {
    const { g, source, sink } = graph();
    g.connect(source.out, sink.in);
    const again = () => g.connect(source.out, sink.in, { after: span.ms(1) });
    expect(again).toThrow(DuplicateConnectionError);
    expect(again).toThrow('number-source.out is connected to number-sink.in twice');
    expect(() => g.connectPhysical(source.out, sink.in)).toThrow(DuplicateConnectionError);
    expect(() => g.merge([source.other, source.other], sink.second)).toThrow(DuplicateConnectionError);
  });

  it('rejects a second connection to an input, because the order is not defined', () => {
    const { g, source, sink } = graph();
    g.connect(source.out, sink.in);
    for (const second of [
      () => g.connect(source.other, sink.in),
      () => g.connectPhysical(source.other, sink.in),
      () => g.merge([source.other], sink.in),
    ]) {
      expect(second).toThrow(FanInError);
      expect(second).toThrow('g.merge([number-source.out, number-source.other], number-sink.in)');
    }
  });

  it.each([[-1], [1.5], [NaN], ['5'], [null]])('rejects a delay of %p', (after) => {
    const { g, source, sink } = graph();
    expect(() => g.connect(source.out, sink.in, { after: after as never })).toThrow(InvalidDataflowOptionError);
  });

  it.each([[undefined], [null], [5], [{}]])('rejects %p as an end', (end) => {
    const { g, source, sink } = graph();
    expect(() => g.connect(end as never, sink.in)).toThrow(InvalidConnectionError);
    expect(() => g.connect(source.out, end as never)).toThrow('A connection needs an input, but got');
    expect(() => g.merge([end as never], sink.in)).toThrow(InvalidConnectionError);
    expect(() => g.merge([{ from: end as never }], sink.in)).toThrow(InvalidConnectionError);
  });

  it('rejects an end from another graph', () => {
    const { g, sink } = graph();
    const { source: foreign } = graph();
    expect(() => g.connect(foreign.out, sink.in)).toThrow('an output of this graph');
  });
});

describe('g.merge', () => {
  it('keeps the order and the delay of each output', () => {
    const { g, source, sink } = graph();
    g.merge([{ from: source.other, after: span.ms(1) }, source.out], sink.in);
    const [input] = g.build().nodes[1]!.inputs;
    expect(input!.edges.map((edge) => [describeEdge(edge), edge.position, edge.delay.time])).toEqual([
      ['number-source.other → number-sink.in', 0, span.ms(1)],
      ['number-source.out → number-sink.in', 1, 0],
    ]);
  });
});
