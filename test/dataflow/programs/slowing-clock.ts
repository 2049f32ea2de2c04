import {
  DataflowNode,
  Input,
  InputPort,
  LogicalAction,
  type NodeContext,
  OnShutdown,
  OnStart,
  Output,
  OutputPort,
  Reaction,
  span,
} from '@roost/dataflow/core';
import { at, check, msOf, type Program } from './program.js';

@DataflowNode()
class Clock {
  @Output() out!: OutputPort<number>;
  @LogicalAction() beat!: LogicalAction;
  #interval = 100;

  @OnStart()
  start(): void {
    this.beat.schedule(span.ms(this.#interval));
  }

  @Reaction('beat')
  slower({ now }: NodeContext): void {
    this.out.set(msOf(now));
    this.#interval += 100;
    this.beat.schedule(span.ms(this.#interval));
  }
}

@DataflowNode()
class Witness {
  @Input() in!: InputPort<number>;
  readonly #beats: number[] = [];

  @Reaction('in')
  take({ now }: NodeContext): void {
    check('the time of a beat', now, at(span.ms(this.in.value!)));
    this.#beats.push(this.in.value!);
  }

  @OnShutdown()
  end(): void {
    check('the beats', this.#beats, [100, 300, 600, 1000, 1500, 2100, 2800, 3600, 4500, 5500]);
  }
}

/** A node schedules its beats at growing intervals. The last one is at the time limit. */
export const slowingClock: Program = {
  name: 'SlowingClock',
  graph: (g) => {
    const [clock, witness] = [g.node(Clock), g.node(Witness)];
    g.connect(clock.out, witness.in);
  },
  options: { fast: true, timeout: span.ms(5500) },
  processes: { left: ['clock'], right: ['witness'] },
  isDeterministic: true,
  expected: { status: 'stopped', stopTag: at(span.ms(5500)), firings: { clock: 11, witness: 11 } },
};
