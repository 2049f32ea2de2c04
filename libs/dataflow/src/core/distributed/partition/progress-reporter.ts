import type { TagScheduler } from '../../engine/scheduler.js';
import { earlierOf, FOREVER, isBefore, isSame, NEVER, type Tag } from '../../time/tag.js';
import type { PartitionReport } from '../wire/messages.js';
import type { EdgeTraffic } from './edge-traffic.js';
import type { ExternalInput } from './external-input.js';
import type { Resumption } from './resume.js';

/** Number of tags after which a report is due even if there is more to do, because other partitions may be waiting. */
const TAGS_PER_REPORT = 64;

/** The sources of a report. */
export interface ReporterParts {
  readonly partition: number;
  readonly scheduler: TagScheduler;
  readonly traffic: EdgeTraffic;
  readonly externalInput: ExternalInput;
  readonly resumption: Resumption;
}

/**
 * Reports the progress of one partition to the coordinator, but only if it differs from the last report. See
 * docs/how-processes-agree.md.
 */
export class ProgressReporter {
  #tagsSinceReport = 0;
  #isRequested = true;
  #reported: Pick<PartitionReport, 'net' | 'isIdle' | 'isBlocked'> | undefined;
  #hasStopped = false;

  constructor(
    private readonly parts: ReporterParts,
    private readonly send: (report: PartitionReport) => void,
  ) {}

  /** Whether the partition has handled its stop tag. */
  get hasStopped(): boolean {
    return this.#hasStopped;
  }

  /** Makes the next `report()` send a report even if nothing has changed. */
  request(): void {
    this.#isRequested = true;
  }

  /** Counts a handled tag. @returns whether a report is due */
  countTag(): boolean {
    return ++this.#tagsSinceReport >= TAGS_PER_REPORT;
  }

  /** Reports that the stop tag has been handled. The partition has no next event. */
  stopped(): void {
    this.#hasStopped = true;
    this.report(undefined);
  }

  /** Sends a report if something has changed. @param next the tag of the next event in the queue */
  report(next: Tag | undefined): void {
    const { partition, scheduler, traffic, externalInput, resumption } = this.parts;
    const isOpen = !this.#hasStopped && externalInput.isOpen;
    const own = this.#hasStopped || !next ? FOREVER : { time: next.time, microstep: next.microstep };
    // Until a restarted partition has caught up, its last report before the crash remains true.
    if (!resumption.hasInputs(traffic.got) || !isBefore(resumption.lastTag, own)) return;
    const net = isOpen ? earlierOf(own, externalInput.floor) : own;
    const hasEvents = !isSame(own, FOREVER);
    const isIdle = !hasEvents && !scheduler.isOpen;
    const isBlocked = hasEvents && traffic.sendWindows.isFull;
    if (!this.#isNews(net, isIdle, isBlocked)) return;
    this.#reported = { net, isIdle, isBlocked };
    this.#tagsSinceReport = 0;
    this.#isRequested = false;
    this.send({
      partition,
      net,
      hasEvents,
      isIdle,
      isOpen,
      isBlocked,
      lastTag: scheduler.tag,
      checkpoint: traffic.checkpoint?.report() ?? NEVER,
      ...traffic.takeReport(),
    });
  }

  #isNews(net: Tag, isIdle: boolean, isBlocked: boolean): boolean {
    const before = this.#reported;
    return (
      this.#isRequested ||
      this.#tagsSinceReport > 0 ||
      this.parts.traffic.hasPhysicalNews ||
      !before ||
      !isSame(net, before.net) ||
      isIdle !== before.isIdle ||
      isBlocked !== before.isBlocked
    );
  }
}
