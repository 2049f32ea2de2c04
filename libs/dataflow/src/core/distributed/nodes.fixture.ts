import {
  DataflowNode,
  Input,
  InputPort,
  LogicalAction,
  type NodeContext,
  OnShutdown,
  OnStart,
  OnTimer,
  Output,
  OutputPort,
  PhysicalAction,
  Reaction,
  span,
} from '../index.js';

/** Counts to 20, one per millisecond. After each third number, the next one follows in the next microstep. */
@DataflowNode()
export class Counter {
  static readonly LAST = 20;
  @Output() out!: OutputPort<number>;
  @LogicalAction() next!: LogicalAction<number>;

  @OnStart()
  start(): void {
    this.next.schedule(span.ms(1), 1);
  }

  @Reaction('next')
  count(): void {
    const value = this.next.value!;
    this.out.set(value);
    if (value >= Counter.LAST) return;
    if (value % 3 === 0) this.next.schedule(span.us(0), value + 1);
    else this.next.schedule(span.ms(1), value + 1);
  }
}

/** Counts forever, one per millisecond. */
@DataflowNode()
export class Ticker {
  @Output() out!: OutputPort<number>;
  #count = 0;

  @OnTimer({ period: span.ms(1) })
  tick(): void {
    this.out.set(++this.#count);
  }
}

/** Counts forever, twice a second. */
@DataflowNode()
export class Pulse {
  @Output() out!: OutputPort<number>;
  #count = 0;

  @OnTimer({ period: span.ms(500) })
  beat(): void {
    this.out.set(++this.#count);
  }
}

/** Doubles its input, without state. */
@DataflowNode({ onCrash: 'restart' })
export class Doubler {
  @Input() in!: InputPort<number>;
  @Output() out!: OutputPort<number>;

  @Reaction('in')
  async double(): Promise<void> {
    const value = this.in.value!;
    await Promise.resolve();
    this.out.set(value * 2);
  }
}

/** A node without state, but with a timer. */
@DataflowNode({ onCrash: 'restart' })
export class Clockwork {
  @Input() in!: InputPort<number>;
  @Output() out!: OutputPort<number>;

  @OnTimer({ offset: span.us(500), period: span.us(1_500) })
  @Reaction('in')
  work({ now }: NodeContext): void {
    this.out.set((this.in.value ?? 0) * 1_000 + (now.time % 997));
  }
}

/** Sends when its input is absent. */
@DataflowNode({ onCrash: 'restart' })
export class Watchdog {
  @Input() in!: InputPort<number>;
  @Output() out!: OutputPort<number>;

  @OnTimer({ offset: span.us(500), period: span.us(500) })
  @Reaction('in')
  bark({ now }: NodeContext): void {
    if (!this.in.isPresent) this.out.set(now.time / 1_000);
  }
}

/** Forwards every fifth number. */
@DataflowNode({ onCrash: 'restart' })
export class Sieve {
  @Input() in!: InputPort<number>;
  @Output() out!: OutputPort<number>;

  @Reaction('in')
  sift(): void {
    if (this.in.value! % 5 === 0) this.out.set(this.in.value!);
  }
}

type Seen = [time: number, microstep: number, left: number | undefined, right: number | undefined];

/** Records its inputs with their tags. */
@DataflowNode()
export class Sink {
  @Input() left!: InputPort<number>;
  @Input() right!: InputPort<number>;
  readonly seen: Seen[] = [];
  shutdowns = 0;

  @Reaction('left', 'right')
  take({ now }: NodeContext): void {
    this.seen.push([now.time, now.microstep, this.left.value, this.right.value]);
  }

  @OnShutdown()
  stop(): void {
    this.shutdowns++;
  }
}

/** Forwards external input. */
@DataflowNode()
export class Sensor {
  @PhysicalAction() reading!: PhysicalAction<number>;
  @Output() out!: OutputPort<number>;

  @Reaction('reading')
  read(): void {
    this.out.set(this.reading.value!);
  }
}
