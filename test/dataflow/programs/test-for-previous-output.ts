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
import { at, check, type Program } from './program.js';

@DataflowNode()
class Source {
  @Output() out!: OutputPort<number>;
  #hasWritten = false;

  @OnTimer({ period: span.ms(1) })
  maybe(ctx: NodeContext): void {
    this.#hasWritten = ctx.random() < 0.5;
    if (this.#hasWritten) this.out.set(42);
  }

  @OnTimer({ period: span.ms(1) })
  otherwise(): void {
    if (!this.#hasWritten) this.out.set(42);
  }
}

@DataflowNode()
class Sink {
  @Input() in!: InputPort<number>;
  #count = 0;

  @Reaction('in')
  take(): void {
    check('the value', this.in.value, 42);
    this.#count++;
  }

  @OnShutdown()
  end(): void {
    check('the number of messages', this.#count, 50);
  }
}

/** A reaction sees changes made by an earlier reaction of its node at the same tag. */
export const testForPreviousOutput: Program = {
  name: 'TestForPreviousOutput',
  graph: (g) => {
    const [source, sink] = [g.node(Source), g.node(Sink)];
    g.connect(source.out, sink.in);
  },
  options: { fast: true, timeout: span.ms(49) },
  processes: { left: ['source'], right: ['sink'] },
  isDeterministic: true,
  expected: { status: 'stopped', stopTag: at(span.ms(49)), firings: { source: 100, sink: 51 } },
};
