import {
  DataflowNode,
  Input,
  InputPort,
  type NodeContext,
  OnShutdown,
  OnTimer,
  Output,
  OutputPort,
  span,
} from '@roost/dataflow/core';
import { at, check, msOf, type Program } from './program.js';

@DataflowNode()
class Source {
  @Output() out!: OutputPort<number>;

  @OnTimer({ period: span.ms(1) })
  tick({ now }: NodeContext): void {
    const n = msOf(now);
    if (n % 2 === 0) this.out.set(n);
  }
}

@DataflowNode()
class Sink {
  @Input() in!: InputPort<number>;
  #present = 0;

  @OnTimer({ period: span.ms(1), reads: ['in'] })
  look({ now }: NodeContext): void {
    const n = msOf(now);
    const seen = [this.in.isPresent, this.in.value, this.in.values];
    check('the input', seen, n % 2 === 0 ? [true, n, [n]] : [false, undefined, []]);
    if (this.in.isPresent) this.#present++;
  }

  @OnShutdown()
  end(): void {
    check('number of tags with a value', this.#present, 15);
  }
}

/** A reaction that reads an input knows reliably when it is absent. */
export const absent: Program = {
  name: 'Absent',
  graph: (g) => {
    const [source, sink] = [g.node(Source), g.node(Sink)];
    g.connect(source.out, sink.in);
  },
  options: { fast: true, timeout: span.ms(29) },
  processes: { left: ['source'], right: ['sink'] },
  isDeterministic: true,
  expected: { status: 'stopped', stopTag: at(span.ms(29)), firings: { source: 30, sink: 31 } },
};
