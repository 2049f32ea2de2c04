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
} from '@roost/dataflow';
import { Journal } from './journal.js';

/** `n` numbers the readings, so that the join can check that its inputs belong together. */
export interface Reading {
  readonly n: number;
  readonly celsius: number;
}

export type Level = 'ok' | 'warm' | 'alarm';

export interface Judged {
  readonly n: number;
  readonly level: Level;
}

const WARM_CELSIUS = 6;

/** The thermometer of a cold store whose door opens from time to time. */
@DataflowNode()
export class SensorNode {
  @Output() reading!: OutputPort<Reading>;
  private n = 0;
  private celsius = 4;
  private isDoorOpen = false;

  @OnTimer({ period: span.ms(100) })
  measure(ctx: NodeContext): void {
    // Unlike Math.random(), this returns the same sequence in every run.
    if (ctx.random() < 0.1) this.isDoorOpen = !this.isDoorOpen;
    this.celsius += 0.1 * ((this.isDoorOpen ? 14 : 3) - this.celsius);
    this.reading.set({ n: ++this.n, celsius: this.celsius + ctx.random() - 0.5 });
  }
}

/** The mean of the last ten readings. */
@DataflowNode()
export class SmoothNode {
  @Input() reading!: InputPort<Reading>;
  @Output() smooth!: OutputPort<Reading>;
  private last: number[] = [];

  @Reaction('reading')
  calculate(): void {
    const { n, celsius } = this.reading.value!;
    this.last = [...this.last.slice(-9), celsius];
    this.smooth.set({ n, celsius: this.last.reduce((sum, one) => sum + one, 0) / this.last.length });
  }
}

/** One warm reading is a warning; five in a row are an alarm. */
@DataflowNode()
export class AlarmNode {
  @Input() reading!: InputPort<Reading>;
  @Output() judged!: OutputPort<Judged>;
  private warmInARow = 0;

  @Reaction('reading')
  judge(): void {
    const { n, celsius } = this.reading.value!;
    this.warmInARow = celsius > WARM_CELSIUS ? this.warmInARow + 1 : 0;
    this.judged.set({ n, level: this.warmInARow >= 5 ? 'alarm' : this.warmInARow > 0 ? 'warm' : 'ok' });
  }
}

/** Joins both paths from the sensor. Even if one path is slow, the two inputs always belong to the same reading. */
@DataflowNode()
export class JoinNode {
  @Input() smooth!: InputPort<Reading>;
  @Input() judged!: InputPort<Judged>;
  @Output() row!: OutputPort<Reading & Judged>;

  @Reaction('smooth', 'judged')
  join(ctx: NodeContext): void {
    const [smooth, judged] = [this.smooth.value!, this.judged.value!];
    if (smooth.n !== judged.n) ctx.fail(`reading ${smooth.n} was joined with the level of reading ${judged.n}`);
    this.row.set({ ...smooth, ...judged });
  }
}

/** Writes one line per second of logical time, and a summary at the end. */
@DataflowNode()
export class JournalNode {
  @Input({ retain: true }) row!: InputPort<Reading & Judged>;
  private readonly readings: Record<Level, number> = { ok: 0, warm: 0, alarm: 0 };

  constructor(private readonly journal: Journal) {}

  @Reaction('row')
  count(): void {
    this.readings[this.row.value!.level]++;
  }

  @OnTimer({ offset: span.seconds(1), period: span.seconds(1), reads: ['row'] })
  write(ctx: NodeContext): void {
    const { celsius, level } = this.row.value!;
    this.journal.write(`${ctx.now.time / span.toNs(span.seconds(1))} s  ${celsius.toFixed(2)} °C  ${level}`);
  }

  @OnShutdown()
  end(): void {
    const { ok, warm, alarm } = this.readings;
    this.journal.write(`${ok + warm + alarm} readings: ${ok} ok, ${warm} warm, ${alarm} alarm`);
  }
}
