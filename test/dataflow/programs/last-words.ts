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
class Ticker {
  @Output() out!: OutputPort<number>;
  #count = 0;

  @OnTimer({ period: span.ms(1) })
  tick(): void {
    this.out.set(++this.#count);
  }
}

@DataflowNode()
class Silent {
  @Output() out!: OutputPort<string>;

  @OnShutdown({ writes: ['out'] })
  end({ now }: NodeContext): void {
    this.out.set(`farewell at ${msOf(now)} ms`);
  }
}

@DataflowNode()
class Listener {
  @Input() tick!: InputPort<number>;
  @Input() word!: InputPort<string>;
  readonly #heard: [number | undefined, string | undefined][] = [];

  @Reaction('tick', 'word')
  take(): void {
    this.#heard.push([this.tick.value, this.word.value]);
  }

  @OnShutdown()
  end(): void {
    check('the last of six', [this.#heard.length, this.#heard.at(-1)], [6, [6, 'farewell at 5 ms']]);
  }
}

/** A value that a node sends at shutdown reaches other nodes at that tag, even if the node was silent before. */
export const lastWords: Program = {
  name: 'LastWords',
  graph: (g) => {
    const [ticker, silent, listener] = [g.node(Ticker), g.node(Silent), g.node(Listener)];
    g.connect(ticker.out, listener.tick);
    g.connect(silent.out, listener.word);
  },
  options: { fast: true, timeout: span.ms(5) },
  processes: { one: ['ticker'], two: ['silent'], three: ['listener'] },
  isDeterministic: true,
  expected: { status: 'stopped', stopTag: at(span.ms(5)), firings: { ticker: 6, silent: 1, listener: 7 } },
};
