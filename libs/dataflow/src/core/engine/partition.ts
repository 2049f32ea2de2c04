import { type RoostLogger, stackOf } from '@roost/kernel';
import { formatDuration } from '@roost/time';
import type { DataflowError } from '../errors/dataflow.error.js';
import { ReactionFailedError } from '../errors/reaction-failed.error.js';
import { TardyInputError } from '../errors/tardy-input.error.js';
import { describeEdge, type EdgeModel, type NodeModel } from '../graph/model.js';
import { seal, type Sealed } from '../payload/seal.js';
import { showClocks } from '../time/show-clocks.js';
import { isBefore, isSame, laterOf, NEVER, type Tag } from '../time/tag.js';
import { DelayLine } from './delay-line.js';
import { createContext, type RunScope } from './node-context.js';
import { NodeRuntime } from './node-runtime.js';
import { type Outlet, outletTo, PhysicalEntry, type SendAway } from './outlets.js';
import type { NodeReport } from '../report.js';
import { type AdmissionControl, Runner } from './runner.js';
import { type Arrival, TagScheduler } from './scheduler.js';
import { InputEntry } from './slots.js';

export interface PartitionOptions extends RunScope {
  readonly nodes: readonly NodeModel[];
  readonly instanceOf: (node: NodeModel) => object;
  readonly isFast: boolean;
  readonly logger: RoostLogger;
  /** Whether to log every tag. */
  readonly isTraced: boolean;
  /** Lag behind the clock, in ms, above which a warning is logged. */
  readonly lagWarningMs: number;
  /** External input of an earlier run. If it is set, this run accepts no other external input. */
  readonly replay: readonly Arrival[] | undefined;
  readonly sendAway: SendAway;
  readonly arrived: (arrival: Arrival) => void;
  readonly failed: (error: DataflowError) => void;
}

/** Nodes that share one scheduler. */
export class Partition {
  readonly nodes: readonly NodeRuntime[];
  readonly scheduler: TagScheduler;
  readonly #runner: Runner;
  /** By index of the edge, the entry for messages from other partitions. */
  readonly #entries = new Map<number, InputEntry>();
  #hasBegun = false;
  #hasWarnedOfLag = false;
  #hasWarnedOfDrops = false;

  constructor(private readonly options: PartitionOptions) {
    const { timeline, nodes, instanceOf } = options;
    this.scheduler = new TagScheduler({
      elapsed: () => timeline.elapsed(),
      until: (time) => timeline.until(time, options.signal),
      wake: () => this.wake(),
      arrived: options.arrived,
      dropped: (input) => this.#dropped(input),
      failed: (error) => this.#failed(error),
    });
    this.nodes = nodes.map((model) => new NodeRuntime(this.scheduler, model, instanceOf(model)));
    for (const node of this.nodes) node.context = createContext(node, options);
    this.#connect();
    this.#runner = new Runner(this.scheduler, timeline, options.isFast);
  }

  /**
   * Runs the partition. Resolves when the stop tag has been handled, or after `halt()`.
   *
   * @param after the tag up to which everything was handled before a restart
   */
  async run(admission: AdmissionControl, after?: Tag): Promise<void> {
    this.#hasBegun = true;
    this.scheduler.start(this.nodes, after);
    if (this.options.replay) this.#replay(this.options.replay);
    await this.#runner.run(this.#observed(admission));
    this.scheduler.end();
  }

  wake(): void {
    this.#runner.wake();
  }

  /** Lead of the clock over the earliest event, in ms. */
  get lagMs(): number {
    const { next } = this.scheduler;
    return next ? Math.max(0, this.options.timeline.elapsed() - next.time) / 1e6 : 0;
  }

  /** Accepts a message from another partition. @returns the tag at which it will be handled */
  deliver(edge: EdgeModel, tag: Tag, sealed: Sealed): Tag {
    const entry = this.#entries.get(edge.index)!;
    if (entry instanceof PhysicalEntry) {
      entry.carry(sealed);
      return this.scheduler.lastArrival;
    }
    if (isBefore(this.scheduler.tag, tag)) this.scheduler.queue.push(tag.time, tag.microstep, entry, sealed);
    else this.#late(entry, edge, tag, sealed);
    this.wake();
    return tag;
  }

  /** Ends the run immediately, even if a reaction never settles. */
  halt(): void {
    this.scheduler.halt();
    this.#runner.force();
    for (const node of this.nodes) node.running = undefined;
  }

  /** Runs the shutdown methods of the nodes, for a run that does not reach its stop tag. */
  async shutDown(): Promise<void> {
    if (this.#hasBegun) await Promise.all(this.nodes.map((node) => this.#shutDown(node)));
  }

  report(): Record<string, NodeReport> {
    return Object.fromEntries(this.nodes.map(({ name, tags, firings, digest }) => [name, { tags, firings, digest }]));
  }

  #connect(): void {
    const byIndex = new Map(this.nodes.map((node) => [node.model.index, node]));
    for (const node of this.nodes) {
      for (const slot of node.outputs) {
        for (const edge of node.model.outputs[slot.index]!.edges) {
          const target = byIndex.get(edge.to.index)?.inputs[edge.input];
          // In a replay, the recording contains the messages of this edge.
          if (edge.isPhysical && this.options.replay) continue;
          slot.outlets.push(target ? outletTo(edge, target) : this.#outletAway(edge));
        }
      }
      for (const slot of node.inputs) {
        for (const edge of node.model.inputs[slot.index]!.edges) {
          const Entry = edge.isPhysical ? PhysicalEntry : InputEntry;
          this.#entries.set(edge.index, new Entry(slot, edge.position));
        }
      }
    }
  }

  #outletAway(edge: EdgeModel): Outlet {
    const line = new DelayLine(edge.delay);
    return { carry: (sealed) => this.options.sendAway(edge, line.arrivalOf(this.scheduler.tag), sealed) };
  }

  #replay(arrivals: readonly Arrival[]): void {
    this.scheduler.acceptsPhysical = false;
    const byName = new Map(this.nodes.map((node) => [node.name, node]));
    for (const { node, port, position, tag, value } of arrivals) {
      const target = byName.get(node);
      const action = target?.actions.find(({ name }) => name === port);
      const input = target?.model.inputs.find(({ name }) => name === port);
      const entry = action ?? (input && (this.#entries.get(input.edges[position]!.index) as PhysicalEntry));
      entry?.push(tag, seal(value));
      this.scheduler.lastArrival = laterOf(this.scheduler.lastArrival, tag);
    }
    for (const { actions } of this.nodes) for (const action of actions) action.close();
  }

  #late({ slot }: InputEntry, edge: EdgeModel, tag: Tag, { value }: Sealed): void {
    const { onLate } = slot.node.model.inputs[slot.index]!.options;
    if (onLate === undefined) return this.#failed(new TardyInputError(describeEdge(edge), tag, this.scheduler.tag));
    void this.#tellLate(slot.node, onLate, tag, value);
  }

  async #tellLate({ name, instance }: NodeRuntime, method: string, tag: Tag, value: unknown): Promise<void> {
    try {
      await (instance as Record<string, (value: unknown, tag: Tag) => unknown>)[method]!(value, tag);
    } catch (error) {
      this.#failed(new ReactionFailedError(name, method, tag, error));
    }
  }

  async #shutDown(node: NodeRuntime): Promise<void> {
    for (const reaction of node.reactions) {
      if (!reaction.isShutdown) continue;
      try {
        await (reaction.ending ?? reaction.run(node.context));
      } catch (error) {
        this.options.logger.error(
          `${node.name}.${reaction.name}() failed while the graph was stopped by force: ${stackOf(error)}`,
        );
      }
    }
  }

  #failed(error: DataflowError): void {
    this.scheduler.halt();
    this.options.failed(error);
  }

  #dropped(input: string): void {
    if (this.#hasWarnedOfDrops) return;
    this.#hasWarnedOfDrops = true;
    this.options.logger.warn(
      `dropped a message over a physical connection to ${input}, because the run is stopping. Further drops are not logged`,
    );
  }

  /** Wraps admission control with a trace of each tag and a warning when the partition lags behind the clock. */
  #observed(admission: AdmissionControl): AdmissionControl {
    const { isTraced, isFast, logger, timeline } = this.options;
    if (!isTraced && isFast) return admission;
    return {
      admits: (tag) => admission.admits(tag),
      pausing: (next) => admission.pausing(next),
      handled: (tag) => {
        if (isTraced) {
          const active = this.nodes.filter(({ stamp }) => stamp === this.scheduler.stamp);
          logger.log(
            `${showClocks(tag, timeline.elapsed())}: ${active.map(({ name }) => name).join(', ') || 'no nodes'}`,
          );
        }
        if (!isFast) this.#watchLag(tag);
        admission.handled(tag);
      },
    };
  }

  #watchLag(tag: Tag): void {
    const { timeline, lagWarningMs, logger } = this.options;
    // A stop follows the last tag immediately, no matter how long ago that tag was, so its lag means nothing.
    if (isSame(tag, this.scheduler.stopTag ?? NEVER)) return;
    const lagMs = (timeline.elapsed() - tag.time) / 1e6;
    if (lagMs <= lagWarningMs) {
      this.#hasWarnedOfLag = false;
    } else if (!this.#hasWarnedOfLag) {
      this.#hasWarnedOfLag = true;
      const who = this.nodes.length === 1 ? `node "${this.nodes[0]!.name}"` : `${this.nodes.length} nodes`;
      logger.warn(`${who} at ${showClocks(tag, timeline.elapsed())}: ${formatDuration(lagMs)} behind the clock`);
    }
  }
}
