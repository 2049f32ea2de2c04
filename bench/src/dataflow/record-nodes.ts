import {
  DataflowNode,
  Input,
  InputPort,
  type NodeContext,
  OnTimer,
  Output,
  OutputPort,
  Reaction,
  span,
} from '@roost/dataflow/core';

/** A small record, as most programs would send. It has to be traversed, frozen and hashed key by key. */
export interface Reading {
  readonly sensor: string;
  readonly value: number;
  readonly isValid: boolean;
}

export const reading = (value: number): Reading => ({ sensor: 'north', value, isValid: true });

@DataflowNode()
export class RecordSource {
  @Output() out!: OutputPort<Reading>;
  #count = 0;

  constructor(private readonly events: number) {}

  @OnTimer({ period: span.us(1) })
  tick(ctx: NodeContext): void {
    this.out.set(reading(++this.#count));
    if (this.#count === this.events) ctx.requestShutdown();
  }
}

@DataflowNode()
export class RecordStage {
  @Input() in!: InputPort<Reading>;
  @Output() out!: OutputPort<Reading>;

  @Reaction('in')
  pass(): void {
    const last = this.in.value!;
    this.out.set({ ...last, value: last.value + 1 });
  }
}

@DataflowNode()
export class RecordSink {
  @Input() in!: InputPort<Reading>;
  sum = 0;

  @Reaction('in')
  take(): void {
    this.sum += this.in.value!.value;
  }
}
