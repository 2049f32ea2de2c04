import {
  DataflowNode,
  Input,
  InputPort,
  OnShutdown,
  OnTimer,
  Output,
  OutputPort,
  Reaction,
  span,
} from '@roost/dataflow/core';
import { check } from './programs/program.js';
import type { Subject } from './subject.js';

/** Two paths lead from a source to a join. One of them is longer, and waits sometimes. */
export function diamond(tags: number): Subject {
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
  class Relay {
    @Input() in!: InputPort<number>;
    @Output() out!: OutputPort<number>;

    @Reaction('in')
    pass(): void | Promise<void> {
      const value = this.in.value!;
      if (value % 500 !== 0) return this.out.set(value);
      return new Promise((resolve) => setImmediate(resolve)).then(() => this.out.set(value));
    }
  }

  @DataflowNode()
  class Join {
    @Input() direct!: InputPort<number>;
    @Input() relayed!: InputPort<number>;
    #joins = 0;

    @Reaction('direct', 'relayed')
    join(): void {
      this.#joins++;
      check('both paths', [this.direct.value, this.relayed.value], [this.#joins, this.#joins]);
    }

    @OnShutdown()
    end(): void {
      check('the number of messages', this.#joins, tags);
    }
  }

  return {
    graph: (g) => {
      const [source, join] = [g.node(Source), g.node(Join)];
      const [first, second] = [g.node(Relay, { name: 'first' }), g.node(Relay, { name: 'second' })];
      g.connect(source.out, join.direct);
      g.connect(source.out, first.in);
      g.connect(first.out, second.in);
      g.connect(second.out, join.relayed);
    },
    options: { fast: true, timeout: span.ms(tags - 1) },
    processes: { p1: ['source', 'second'], p2: ['first'], p3: ['join'] },
  };
}
