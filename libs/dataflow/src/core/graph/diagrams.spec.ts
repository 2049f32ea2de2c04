import { Dataflow, DataflowNode, Input, InputPort, Output, OutputPort, span } from '../index.js';

@DataflowNode()
class Echo {
  @Input() in!: InputPort<number>;
  @Input() log!: InputPort<number>;
  @Output() out!: OutputPort<number>;
}

const dataflow = new Dataflow({
  graph: (g) => {
    const [a, b] = [g.node(Echo, { name: 'a' }), g.node(Echo, { name: 'b-2' })];
    g.connect(a.out, b.in);
    g.connect(b.out, a.in, { after: span.ms(5) });
    g.connect(b.out, b.log, { after: span.ns(0) });
    g.connectPhysical(a.out, a.log);
  },
});

describe('diagrams', () => {
  it('show nodes, connections, delays and physical connections in Mermaid', () => {
    expect(dataflow.toMermaid()).toBe(
      `flowchart LR
  n0["a"]
  n1["b-2"]
  n0 -->|"out → in"| n1
  n1 -->|"out → in after 5 ms"| n0
  n1 -->|"out → log after a microstep"| n1
  n0 -.->|"out → log"| n0
`,
    );
  });

  it('show the same in DOT', () => {
    expect(dataflow.toDot()).toBe(
      `digraph dataflow {
  rankdir=LR; node [shape=box];
  n0 [label="a"];
  n1 [label="b-2"];
  n0 -> n1 [label="out → in"];
  n1 -> n0 [label="out → in after 5 ms"];
  n1 -> n1 [label="out → log after a microstep"];
  n0 -> n0 [label="out → log", style=dashed];
}
`,
    );
  });
});
