import { Partition } from '../engine/partition.js';
import type { Arrival } from '../engine/scheduler.js';
import { Timeline } from '../engine/timeline.js';
import type { DataflowError } from '../errors/dataflow.error.js';
import type { GraphModel, NodeModel } from '../graph/model.js';
import type { StopRequest } from '../node/context.js';
import type { DataflowReport, RunStatus } from '../report.js';
import { nanosecondsOf } from '../time/span.js';
import { earlierOf, isBefore, isSame, laterOf, nextMicrostep, type Tag } from '../time/tag.js';
import { describeGraph, type GraphDescription } from './describe.js';
import { exitCodeOf, graphDigest } from './digests.js';
import type { DataflowRun, StopGrant } from './dataflow-run.js';
import { forceWithin } from './force.js';
import type { ResolvedDataflowOptions } from './options.js';
import type { Recording } from './recording.js';
import { proposalOf, tagOutside } from './stop-request.js';

/** Runs all nodes in this process on one scheduler, without messages and without waiting for other processes. */
export class EmbeddedRun implements DataflowRun {
  readonly #partition: Partition;
  readonly #timeline: Timeline;
  readonly #abort = new AbortController();
  readonly #arrivals: Arrival[] = [];
  #status: RunStatus = 'completed';
  #error: DataflowError | undefined;
  #forcing: Promise<void> | undefined;
  #hasEnded = false;

  constructor(
    private readonly graph: GraphModel,
    private readonly options: ResolvedDataflowOptions,
    instanceOf: (node: NodeModel) => object,
  ) {
    const { clock, replay, timeout } = options;
    this.#timeline = new Timeline(clock);
    this.#partition = new Partition({
      nodes: graph.nodes,
      instanceOf,
      isFast: options.fast,
      isTraced: options.trace,
      lagWarningMs: options.lagWarningMs,
      logger: options.logger,
      timeline: this.#timeline,
      seed: replay?.seed ?? options.seed,
      signal: this.#abort.signal,
      replay: replay?.arrivals,
      requestStop: (request, from) => void this.#request(request, from),
      sendAway: () => undefined,
      arrived: (arrival) => {
        if (options.record) this.#arrivals.push(arrival);
      },
      failed: (error) => void this.force(error),
    });
    this.#partition.scheduler.plannedStop =
      replay?.stopTag ?? (timeout === undefined ? undefined : { time: nanosecondsOf(timeout), microstep: 0 });
  }

  async run(): Promise<DataflowReport> {
    if (this.options.replay) this.#timeline.startAgain(this.options.replay.startedAtMs);
    else this.#timeline.start();
    await this.#partition.run({
      admits: (next) => !this.#stopsBefore(next),
      pausing: (next) => this.#pausing(next),
      handled: () => undefined,
    });
    await this.#forcing;
    this.#hasEnded = true;
    const nodes = this.#partition.report();
    const isForced = this.#forcing !== undefined;
    return {
      status: isForced ? 'forced' : this.#status,
      exitCode: exitCodeOf(isForced, this.#error),
      stopTag: isForced ? undefined : this.#partition.scheduler.stopTag,
      digest: graphDigest(nodes),
      nodes,
      controlMessages: 0,
      dataMessages: 0,
      error: this.#error,
    };
  }

  requestStop(request: StopRequest): Promise<StopGrant> {
    const from = tagOutside(this.#partition.scheduler.tag, this.#timeline, this.options.fast, request);
    return Promise.resolve(this.#request(request, from));
  }

  force(error: DataflowError): Promise<void> {
    if (this.#hasEnded) return Promise.resolve();
    this.#error ??= error;
    this.#forcing ??= forceWithin(this.options, [this.#partition], this.#abort);
    return this.#forcing;
  }

  describe(): GraphDescription {
    const { lagWarningMs, fast } = this.options;
    return describeGraph(this.graph, [this.#partition], lagWarningMs, fast);
  }

  recording(): Recording {
    if (this.options.replay) return this.options.replay;
    const { stopTag } = this.#partition.scheduler;
    return {
      version: this.graph.version,
      seed: this.options.seed,
      startedAtMs: this.#timeline.startedAtMs,
      arrivals: [...this.#arrivals],
      ...(stopTag && { stopTag, status: this.#status }),
    };
  }

  /** Grants the earliest requested tag that has not been passed yet. */
  #request(request: StopRequest, from: Tag): StopGrant {
    const asked = proposalOf(request, from);
    const { scheduler } = this.#partition;
    const { earliestStop, plannedStop, stopTag } = scheduler;
    const possible = laterOf(asked, earliestStop);
    const granted = [plannedStop ?? possible, stopTag ?? possible].reduce(earlierOf, possible);
    scheduler.plannedStop = granted;
    this.#partition.wake();
    return { stopTag: granted, asAsked: isSame(granted, asked) };
  }

  #pausing(next: Tag | undefined): number | undefined {
    const { scheduler } = this.#partition;
    if (next) return undefined;
    const { replay, fast } = this.options;
    const plan = scheduler.plannedStop;
    const msLeft = plan && this.#timeline.msUntil(plan.time);
    if (plan && (replay || (scheduler.isOpen && (fast || msLeft === 0)))) {
      this.#status = replay?.status ?? 'stopped';
      this.#stopAt(plan);
    } else if (scheduler.isOpen) {
      return msLeft;
    } else {
      this.#stopAt(nextMicrostep(scheduler.tag));
    }
    return undefined;
  }

  /** Whether the run stops at its plan before the next tag. */
  #stopsBefore(next: Tag): boolean {
    const { plannedStop: plan, stopTag } = this.#partition.scheduler;
    if (!plan || isBefore(next, plan) || (stopTag && !isBefore(plan, stopTag))) return false;
    this.#status = this.options.replay?.status ?? 'stopped';
    this.#stopAt(plan);
    return true;
  }

  #stopAt(tag: Tag): void {
    this.#partition.scheduler.stopAt(tag);
    this.#partition.wake();
  }
}
