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
class Asking {
  @Output() out!: OutputPort<string>;

  @OnTimer({ period: span.ms(1) })
  tick(): void {
    this.out.set('tick');
  }

  @OnShutdown()
  end(ctx: NodeContext): void {
    ctx.requestShutdown();
    ctx.requestShutdown({ after: span.ms(5) });
  }
}

@DataflowNode()
class Listening {
  @Input() in!: InputPort<string>;
  #ends = 0;
  #ticks = 0;

  @Reaction('in')
  take(): void {
    this.#ticks++;
  }

  @OnShutdown()
  end(ctx: NodeContext): void {
    ctx.requestShutdown({ at: span.ms(1) });
    check('how many ticks and ends, and when', [this.#ticks, ++this.#ends, ctx.now], [6, 1, at(span.ms(5))]);
  }
}

/** A stop requested at the last tag changes nothing. */
export const stopAtShutdown: Program = {
  name: 'StopAtShutdown',
  graph: (g) => {
    const [asking, listening] = [g.node(Asking), g.node(Listening)];
    g.connect(asking.out, listening.in);
  },
  options: { fast: true, timeout: span.ms(5) },
  processes: { left: ['asking'], right: ['listening'] },
  isDeterministic: true,
  expected: { status: 'stopped', stopTag: at(span.ms(5)), firings: { asking: 7, listening: 7 } },
};
