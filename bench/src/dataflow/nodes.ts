import {
  DataflowNode,
  Input,
  InputPort,
  type NodeContext,
  OnStart,
  OnTimer,
  Output,
  OutputPort,
  PhysicalAction,
  Reaction,
  span,
} from '@roost/dataflow/core';
import { medianRoundUs } from './rounds.js';

/** Emits the values 1, 2, 3… and then stops the graph. */
@DataflowNode()
export class Source {
  @Output() out!: OutputPort<number>;
  #count = 0;

  constructor(private readonly events: number) {}

  @OnTimer({ period: span.us(1) })
  tick(ctx: NodeContext): void {
    this.out.set(++this.#count);
    if (this.#count === this.events) ctx.requestShutdown();
  }
}

/** Adds 1. */
@DataflowNode()
export class Stage {
  @Input() in!: InputPort<number>;
  @Output() out!: OutputPort<number>;

  @Reaction('in')
  pass(): void {
    this.out.set(this.in.value! + 1);
  }
}

/** Sums up the values. */
@DataflowNode()
export class Sink {
  @Input() in!: InputPort<number>;
  sum = 0;

  @Reaction('in')
  take(): void {
    for (const value of this.in.values) this.sum += value;
  }
}

/** Measures the rate of incoming values. */
@DataflowNode()
export class Gauge {
  @Input() in!: InputPort<number>;
  #firstMs = 0;
  #lastMs = 0;
  #count = 0;

  @Reaction('in')
  take(): void {
    this.#lastMs = performance.now();
    if (this.#count++ === 0) this.#firstMs = this.#lastMs;
  }

  get perSecond(): number {
    return ((this.#count - 1) / (this.#lastMs - this.#firstMs)) * 1_000;
  }
}

/** Sums up values that arrive on two paths and must be equal. */
@DataflowNode()
export class Join {
  @Input() left!: InputPort<number>;
  @Input() right!: InputPort<number>;
  sum = 0;

  @Reaction('left', 'right')
  take(): void {
    if (this.left.value !== this.right.value) throw new Error(`${this.left.value} was joined with ${this.right.value}`);
    this.sum += this.left.value!;
  }
}

/** Sends the next value after the previous one has come back. */
@DataflowNode()
export class Ping {
  @Input() in!: InputPort<number>;
  @Output() out!: OutputPort<number>;
  readonly #times: Float64Array;

  constructor(private readonly rounds: number) {
    this.#times = new Float64Array(rounds + 1);
  }

  @OnStart()
  begin(): void {
    this.#send(0);
  }

  @Reaction('in')
  back(): void {
    const done = this.in.value! + 1;
    if (done < this.rounds) this.#send(done);
    else this.#times[done] = performance.now();
  }

  get roundUs(): number {
    return medianRoundUs(this.#times);
  }

  #send(round: number): void {
    this.#times[round] = performance.now();
    this.out.set(round);
  }
}

/** Sends back every value. */
@DataflowNode()
export class Pong {
  @Input() in!: InputPort<number>;
  @Output() out!: OutputPort<number>;

  @Reaction('in')
  answer(): void {
    this.out.set(this.in.value!);
  }
}

/** Declares an external input, so that an event could arrive at any time. */
@DataflowNode()
export class Sensor {
  @Output() out!: OutputPort<number>;
  @PhysicalAction() sensed!: PhysicalAction<number>;
  readonly hasStarted = new Promise<void>((resolve) => (this.#started = resolve));
  #started!: () => void;

  @OnStart()
  begin(): void {
    this.#started();
  }

  @Reaction('sensed')
  pass(): void {
    this.out.set(this.sensed.value!);
  }
}
