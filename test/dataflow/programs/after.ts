import {
  DataflowNode,
  Input,
  InputPort,
  type NodeContext,
  OnShutdown,
  OnTimer,
  Output,
  OutputPort,
  Reaction,
  span,
} from '@roost/dataflow/core';
import { at, check, msOf, type Program } from './program.js';

@DataflowNode()
class Source {
  @Output() out!: OutputPort<number>;

  @OnTimer({ period: span.ms(5) })
  tick({ now }: NodeContext): void {
    this.out.set(msOf(now));
  }
}

@DataflowNode()
class Twice {
  @Input() x!: InputPort<number>;
  @Output() y!: OutputPort<number>;

  @Reaction('x')
  double(): void {
    this.y.set(2 * this.x.value!);
  }
}

@DataflowNode()
class Print {
  @Input() x!: InputPort<number>;
  readonly #seen: number[] = [];

  @Reaction('x')
  take({ now }: NodeContext): void {
    check('the tag', now, at(span.ms(this.x.value! / 2 + 10)));
    this.#seen.push(this.x.value!);
  }

  @OnShutdown()
  end(): void {
    check('what arrived in time', this.#seen, [0, 10, 20]);
  }
}

/** A connection with a delay of 10 ms. */
export const after: Program = {
  name: 'After',
  graph: (g) => {
    const [source, twice, print] = [g.node(Source), g.node(Twice), g.node(Print)];
    g.connect(source.out, twice.x);
    g.connect(twice.y, print.x, { after: span.ms(10) });
  },
  options: { fast: true, timeout: span.ms(20) },
  processes: { left: ['source', 'print'], right: ['twice'] },
  isDeterministic: true,
  expected: { status: 'stopped', stopTag: at(span.ms(20)), firings: { source: 5, twice: 5, print: 4 } },
};
