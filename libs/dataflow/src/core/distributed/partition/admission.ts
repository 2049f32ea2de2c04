import type { Partition } from '../../engine/partition.js';
import type { AdmissionControl } from '../../engine/runner.js';
import type { Timeline } from '../../engine/timeline.js';
import type { EdgeTag } from '../../progress/progress-tracker.js';
import { isBefore, isSame, laterOf, NEVER, nextMicrostep, type Tag } from '../../time/tag.js';
import type { CrossEdge } from '../plan.js';
import type { PartitionGrant } from '../wire/messages.js';
import type { EdgeTraffic } from './edge-traffic.js';
import type { ExternalInput } from './external-input.js';
import type { ProgressReporter } from './progress-reporter.js';
import type { Resumption } from './resume.js';

export interface AdmissionOptions {
  readonly timeline: Timeline;
  readonly isFast: boolean;
  /** Whether the run is a replay. A replay stops at the planned tag even if there is nothing to do before it. */
  readonly isReplay: boolean;
  /** Called when the partition has reached the planned stop. */
  plannedStopReached(): void;
}

/** The parts of a partition that take part in admission, besides the grants. */
export interface AdmissionParts {
  readonly partition: Partition;
  readonly traffic: EdgeTraffic;
  readonly externalInput: ExternalInput;
  readonly resumption: Resumption;
  readonly reporter: ProgressReporter;
}

/**
 * Admits a tag to one partition when no message with an earlier tag can arrive any longer, either because the
 * coordinator has granted the tag or because every input has passed it. Also holds the partition at a stop, and while a
 * connection is full. See docs/how-processes-agree.md.
 */
export class GrantAdmission implements AdmissionControl {
  /** During a stop negotiation, the partition begins neither this tag nor a later one. */
  barrier: Tag | undefined;
  #bound: Tag = NEVER;
  #need: readonly EdgeTag[] = [];
  #overdraw: Tag = NEVER;
  #hasReachedPlannedStop = false;

  /**
   * @param openEdges edges without delay whose sender has not handled the stop tag, so messages at that tag may still
   * arrive
   */
  constructor(
    private readonly parts: AdmissionParts,
    private readonly openEdges: Set<CrossEdge>,
    private readonly options: AdmissionOptions,
  ) {}

  admits(tag: Tag): boolean {
    const { partition, traffic, resumption } = this.parts;
    const plan = partition.scheduler.plannedStop;
    if (plan && !isBefore(tag, plan)) this.#stopAt(plan);
    if (this.barrier && !isBefore(tag, this.barrier)) return false;
    if (this.openEdges.size > 0 && this.#isStop(tag)) return this.#waitAtStop(tag);
    if (!resumption.hasInputs(traffic.got)) return false;
    if (!this.#isGranted(tag) && !traffic.hasPassed(tag)) return false;
    // Messages that were sent before a crash already have room in the window.
    return !traffic.sendWindows.isFull || !isBefore(this.#overdraw, tag) || !isBefore(resumption.lastTag, tag);
  }

  handled(tag: Tag): void {
    const { partition, traffic, reporter } = this.parts;
    traffic.handled(tag);
    if (reporter.countTag() && !this.#isStop(tag)) reporter.report(partition.scheduler.next);
  }

  pausing(next: Tag | undefined): number | undefined {
    const { timeline, isFast, isReplay } = this.options;
    const { partition, externalInput, reporter } = this.parts;
    const { plannedStop: plan, isOpen } = partition.scheduler;
    const isWaiting = !next && plan && (isReplay || isOpen);
    const planMs = isWaiting ? timeline.msUntil(plan.time) : undefined;
    if (isWaiting && (isReplay || isFast || planMs === 0)) {
      this.#stopAt(plan);
      return undefined;
    }
    const floorMs = externalInput.raiseFloor();
    reporter.report(next);
    const stopMs = next && this.#isStop(next) ? this.#msUntil(next) : 0;
    const waits = [floorMs, planMs, stopMs || undefined].filter((ms) => ms !== undefined);
    return waits.length > 0 ? Math.min(...waits) : undefined;
  }

  grant({ bound, need, overdraw }: PartitionGrant): void {
    // A grant that is sent again has the same bound and lists no needed messages.
    if (isBefore(this.#bound, bound)) {
      this.#bound = bound;
      this.#need = need;
    }
    if (overdraw) this.#overdraw = laterOf(this.#overdraw, overdraw);
    this.parts.partition.wake();
  }

  /** Sets the last tag that the partition handles, if it gets that far. */
  planStop(tag: Tag): void {
    this.parts.partition.scheduler.plannedStop = tag;
  }

  /** The earliest tag at which the partition can stop. */
  get earliestStop(): Tag {
    const { partition, resumption } = this.parts;
    const { lastTag } = resumption;
    const { earliestStop } = partition.scheduler;
    return isSame(lastTag, NEVER) ? earliestStop : laterOf(earliestStop, nextMicrostep(lastTag));
  }

  /** Stops waiting for messages on an edge. None will arrive, not even at the stop tag. */
  closeEdge(edge: CrossEdge): void {
    this.openEdges.delete(edge);
  }

  /**
   * Reports the planned stop to the coordinator. Upstream partitions may be idle, and only the coordinator can make
   * them stop.
   */
  #waitAtStop(tag: Tag): false {
    if (!this.#hasReachedPlannedStop && this.#msUntil(tag) === 0) {
      this.#hasReachedPlannedStop = true;
      this.options.plannedStopReached();
    }
    return false;
  }

  #msUntil({ time }: Tag): number {
    return this.options.isFast ? 0 : this.options.timeline.msUntil(time);
  }

  #isStop(tag: Tag): boolean {
    const { stopTag } = this.parts.partition.scheduler;
    return stopTag !== undefined && isSame(tag, stopTag);
  }

  #isGranted(tag: Tag): boolean {
    if (!isBefore(tag, this.#bound)) return false;
    const hasAll = this.parts.traffic.has(this.#need);
    if (hasAll) this.#need = [];
    return hasAll;
  }

  #stopAt(plan: Tag): void {
    const { partition } = this.parts;
    const { scheduler } = partition;
    if (scheduler.stopTag && !isBefore(plan, scheduler.stopTag)) return;
    scheduler.stopAt(plan);
    partition.wake();
  }
}
