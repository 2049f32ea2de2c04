import { RecordingLogger } from '@roost/kernel/testing';
import { ManualClock } from '@roost/time/testing';
import {
  Dataflow,
  DataflowNode,
  type DataflowOptions,
  type GraphBuilder,
  Input,
  InputPort,
  type NodeContext,
  Reaction,
  type Span,
  span,
  type Tag,
} from '../index.js';

export { type Deferred, deferred } from '@roost/kernel';
export { RecordingLogger } from '@roost/kernel/testing';

export interface Fixture {
  readonly clock: ManualClock;
  readonly logger: RecordingLogger;
  readonly dataflow: Dataflow;
  /** Runs every queued promise continuation. No time passes. */
  settle(): Promise<void>;
}

/** A `fast` graph on a manual clock, unless the options say otherwise. */
export function setup(graph: (g: GraphBuilder) => void, options: Partial<DataflowOptions> = {}): Fixture {
  const clock = new ManualClock();
  const logger = new RecordingLogger();
  const dataflow = new Dataflow({ graph, clock, logger, fast: true, ...options });
  return { clock, logger, dataflow, settle: () => clock.advanceAsync(0) };
}

/** Runs a graph of one node, and returns the node and the report. */
export async function runAlone<T extends object>(type: new () => T, options: Partial<DataflowOptions> = {}) {
  const { dataflow, ...rest } = setup((g) => g.node(type, { name: 'alone' }), options);
  const report = await dataflow.run();
  return { ...rest, dataflow, report, node: dataflow.node<T>('alone')! };
}

/** Records its input with the tags. */
@DataflowNode()
export class Recorder {
  @Input() in!: InputPort<unknown>;
  readonly seen: [time: number, microstep: number, value: unknown][] = [];

  @Reaction('in')
  take(ctx: NodeContext): void {
    this.seen.push([ctx.now.time, ctx.now.microstep, this.in.value]);
  }
}

export const at = (time: number | Span, microstep = 0): Tag => ({
  time: typeof time === 'number' ? time : span.toNs(time),
  microstep,
});

export const never = (): Promise<never> => new Promise(() => undefined);

/** Tracks the state of a promise without awaiting it. */
export function outcomeOf(promise: Promise<unknown>): { readonly status: string; readonly value?: unknown } {
  const outcome: { status: string; value?: unknown } = { status: 'pending' };
  promise.then(
    (value) => Object.assign(outcome, { status: 'resolved', value }),
    (value: unknown) => Object.assign(outcome, { status: 'rejected', value }),
  );
  return outcome;
}
