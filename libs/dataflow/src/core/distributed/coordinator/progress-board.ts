import type { RoostLogger } from '@roost/kernel';
import { type EdgeTag, ProgressTracker } from '../../progress/progress-tracker.js';
import { ProgressReportError } from '../../progress/progress-report.error.js';
import { formatTag } from '../../time/format-tag.js';
import { FOREVER, isBefore, isSame, laterOf, NEVER, nextMicrostep, START, type Tag } from '../../time/tag.js';
import type { ProcessPlan } from '../plan.js';
import type { PartitionGrant, PartitionReport, ResumePoint } from '../wire/messages.js';
import { nodesOf } from './membership.js';

export interface ProgressBoardOptions {
  readonly plan: ProcessPlan;
  readonly logger: RoostLogger;
  readonly isTraced: boolean;
  grant(process: string, grant: PartitionGrant): void;
  raiseFloor(process: string, partition: number, tag: Tag): void;
}

/**
 * Collects the reports of all partitions. Grants each partition the tags that no message can precede any longer. See
 * docs/how-processes-agree.md#report-and-grant.
 */
export class ProgressBoard {
  readonly #tracker: ProgressTracker;
  readonly #reports: (PartitionReport | undefined)[];
  readonly #removed = new Set<number>();
  /** Partitions that can still get external input. */
  readonly #open = new Set<number>();
  /** Partitions that are blocked by a full connection. */
  readonly #blocked = new Set<number>();
  /** By partition, the tag beyond which it has been asked to raise its floor. */
  readonly #requestedFloors = new Map<number, Tag>();
  /** By logical edge, the last tag reported as received. */
  readonly #got: Tag[];
  /** By physical edge, the last tags reported as sent and as received. */
  readonly #physicalSent: Tag[];
  readonly #physicalGot: Tag[];
  #idle = 0;
  /** Number of reports, grants and floor requests so far. */
  messages = 0;

  constructor(private readonly options: ProgressBoardOptions) {
    const { partitions, logical, logicalEdges, physical } = options.plan;
    this.#tracker = new ProgressTracker(partitions.length, logicalEdges);
    this.#reports = partitions.map(() => undefined);
    this.#got = logical.map(() => NEVER);
    this.#physicalSent = physical.map(() => NEVER);
    this.#physicalGot = physical.map(() => NEVER);
  }

  /** @throws ProgressReportError */
  report(report: PartitionReport): void {
    this.messages++;
    const { partition, isIdle, isOpen, isBlocked } = report;
    this.#check(report);
    const grants = this.#tracker.report(report);
    if (this.#removed.has(partition)) return;
    const before = this.#reports[partition];
    this.#idle += Number(isIdle) - Number(before?.isIdle ?? false);
    // A restarted partition may still be behind the last tag of its earlier reports.
    this.#reports[partition] = { ...report, lastTag: laterOf(before?.lastTag ?? NEVER, report.lastTag) };
    raise(this.#got, report.got);
    raise(this.#physicalSent, report.physicalSent);
    raise(this.#physicalGot, report.physicalGot);
    mark(this.#open, partition, isOpen);
    mark(this.#blocked, partition, isBlocked);
    this.#grant(grants);
    if (this.#blocked.size > 0) this.#unblockEarliest();
    if (this.#open.size > 0) this.#requestFloors();
  }

  /** Removes a partition from all computations. Messages that it has sent still arrive. */
  remove(partition: number): void {
    if (this.#removed.has(partition)) return;
    this.#removed.add(partition);
    if (!this.#reports[partition]?.isIdle) this.#idle++;
    this.#open.delete(partition);
    this.#blocked.delete(partition);
    const into = this.options.plan.logicalEdges.flatMap(({ to }, edge) => (to === partition ? [edge] : []));
    // Messages in flight to the removed partition no longer count either.
    const got = into.map((edge): EdgeTag => [edge, FOREVER]);
    const grants = this.#tracker.report({ partition, net: FOREVER, sent: [], got });
    this.#grant([...grants, ...this.#tracker.remove(partition)].filter((grant) => grant.partition !== partition));
  }

  /** The first tag that the partition has not begun, according to its reports. */
  notBegun(partition: number): Tag {
    const lastTag = this.#reports[partition]?.lastTag ?? NEVER;
    return isBefore(lastTag, START) ? START : nextMicrostep(lastTag);
  }

  /** Where a partition continues after a restart. Undefined if it has never reported. */
  resumePointOf(partition: number): ResumePoint | undefined {
    const report = this.#reports[partition];
    if (!report) return undefined;
    const { checkpoint, lastTag } = report;
    const need = this.options.plan.logicalEdges.flatMap(({ from, to }, edge): EdgeTag[] => {
      // A removed sender resends nothing.
      if (to !== partition || this.#removed.has(from)) return [];
      const [, sent] = this.#tracker.lastSent(from).find(([one]) => one === edge)!;
      const known = laterOf(sent, this.#got[edge]!);
      return isBefore(checkpoint, known) ? [[edge, known]] : [];
    });
    return { partition, checkpoint, lastTag, need, sent: this.#tracker.lastSent(partition) };
  }

  /** Sends the last grant again, to a partition of a restarted process. */
  grantAgain(partition: number): void {
    this.#grant([this.#tracker.lastGrant(partition)]);
  }

  /** Whether all partitions are idle, no message is in flight and no external input is possible. */
  get isComplete(): boolean {
    return this.#idle === this.#reports.length && this.#tracker.isQuiet && this.#arePhysicalMessagesIn();
  }

  /** The latest tag that any partition has handled. */
  get lastTag(): Tag {
    return this.#reports.reduce((latest, report) => (report ? laterOf(latest, report.lastTag) : latest), START);
  }

  /** Checks the physical edges. The tracker checks the rest of a report. */
  #check({ partition, physicalSent, physicalGot }: PartitionReport): void {
    const { physical } = this.options.plan;
    const isOwn =
      physicalSent.every(([edge]) => physical[edge]?.from.index === partition) &&
      physicalGot.every(([edge]) => physical[edge]?.to.index === partition);
    if (!isOwn) throw new ProgressReportError(partition, 'names a physical connection of another partition');
  }

  /**
   * Whether no message is in flight over a physical edge, or over the physical edges to one receiver. Each edge is
   * compared on its own. A total could match by accident while a report is in flight from a partition that has received
   * one message and sent another.
   */
  #arePhysicalMessagesIn(receiver?: number): boolean {
    return this.options.plan.physical.every(
      ({ from, to }, edge) =>
        (receiver !== undefined && to.index !== receiver) ||
        this.#removed.has(from.index) ||
        this.#removed.has(to.index) ||
        isSame(this.#physicalSent[edge]!, this.#physicalGot[edge]!),
    );
  }

  #grant(grants: readonly PartitionGrant[]): void {
    const { plan, logger, isTraced } = this.options;
    for (const grant of grants) {
      this.messages++;
      const partition = plan.partitions[grant.partition]!;
      if (isTraced) logger.log(`granted ${nodesOf([partition]).join(', ')} every tag before ${formatTag(grant.bound)}`);
      this.options.grant(partition.process, grant);
    }
  }

  /** Lets the earliest partition exceed its window, because no other partition can make room for it. */
  #unblockEarliest(): void {
    for (const partition of this.#blocked) {
      if (!this.#isEarliest(partition)) continue;
      this.#blocked.delete(partition);
      this.#grant([{ ...this.#tracker.lastGrant(partition), overdraw: this.#tracker.effNET(partition) }]);
    }
  }

  /** Whether no other partition has an earlier event. Partitions that only wait for external input do not count. */
  #isEarliest(partition: number): boolean {
    if (this.#tracker.isEarliest(partition)) return true;
    const next = this.#tracker.effNET(partition);
    return this.#reports.every((report, other) => {
      const theirs = this.#tracker.effNET(other);
      if (!isBefore(theirs, next)) return true;
      const isPassive = report?.isOpen === true && !report.hasEvents && isSame(theirs, report.net);
      return isPassive && this.#arePhysicalMessagesIn(other);
    });
  }

  /** Requests a higher floor from partitions whose possible external input is all that holds up another partition. */
  #requestFloors(): void {
    for (const [partition] of this.#reports.entries()) {
      const wanted = this.#tracker.effNET(partition);
      for (const blocker of this.#tracker.blockers(partition)) {
        const requested = this.#requestedFloors.get(blocker);
        if (!this.#open.has(blocker) || (requested && !isBefore(requested, wanted))) continue;
        this.#requestedFloors.set(blocker, wanted);
        this.messages++;
        this.options.raiseFloor(this.options.plan.partitions[blocker]!.process, blocker, wanted);
      }
    }
  }
}

function mark<T>(set: Set<T>, item: T, isIn: boolean): void {
  if (isIn) set.add(item);
  else set.delete(item);
}

function raise(tags: Tag[], to: readonly EdgeTag[]): void {
  for (const [edge, tag] of to) tags[edge] = laterOf(tags[edge]!, tag);
}
