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
 * Collects the reports of all partitions and grants each as many tags as no message can precede any more.
 * See docs/how-processes-agree.md#report-and-grant.
 */
export class ProgressBoard {
  readonly #tracker: ProgressTracker;
  readonly #reports: (PartitionReport | undefined)[];
  readonly #removed = new Set<number>();
  /** Partitions with external input. */
  readonly #open = new Set<number>();
  /** Partitions that a full connection holds up. */
  readonly #blocked = new Set<number>();
  /** By partition, the tag beyond which it was asked to raise its floor. */
  readonly #requestedFloors = new Map<number, Tag>();
  /** By logical edge, the last tag that was reported as received. */
  readonly #got: Tag[];
  /** By physical edge, the last tag that was reported as sent, and as received. */
  readonly #physicalSent: Tag[];
  readonly #physicalGot: Tag[];
  #idle = 0;
  /** Reports, grants and floor requests so far. */
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

  /** The partition no longer counts. What it has sent still arrives. */
  remove(partition: number): void {
    if (this.#removed.has(partition)) return;
    this.#removed.add(partition);
    if (!this.#reports[partition]?.isIdle) this.#idle++;
    this.#open.delete(partition);
    this.#blocked.delete(partition);
    const into = this.options.plan.logicalEdges.flatMap(({ to }, edge) => (to === partition ? [edge] : []));
    // Messages on their way to it no longer count either.
    const got = into.map((edge): EdgeTag => [edge, FOREVER]);
    const grants = this.#tracker.report({ partition, net: FOREVER, sent: [], got });
    this.#grant([...grants, ...this.#tracker.remove(partition)].filter((grant) => grant.partition !== partition));
  }

  /** The first tag that the partition has not begun, as far as reported. */
  notBegun(partition: number): Tag {
    const lastTag = this.#reports[partition]?.lastTag ?? NEVER;
    return isBefore(lastTag, START) ? START : nextMicrostep(lastTag);
  }

  /** Where a partition continues after a restart; undefined if it had not reported anything. */
  resumePointOf(partition: number): ResumePoint | undefined {
    const report = this.#reports[partition];
    if (!report) return undefined;
    const { checkpoint, lastTag } = report;
    const need = this.options.plan.logicalEdges.flatMap(({ from, to }, edge): EdgeTag[] => {
      // A removed sender repeats nothing.
      if (to !== partition || this.#removed.has(from)) return [];
      const [, sent] = this.#tracker.lastSent(from).find(([one]) => one === edge)!;
      const known = laterOf(sent, this.#got[edge]!);
      return isBefore(checkpoint, known) ? [[edge, known]] : [];
    });
    return { partition, checkpoint, lastTag, need, sent: this.#tracker.lastSent(partition) };
  }

  /** Repeats the last grant, for a partition of a restarted process. */
  grantAgain(partition: number): void {
    this.#grant([this.#tracker.lastGrant(partition)]);
  }

  /** All partitions are idle, no message is under way and no external input is possible. */
  get isComplete(): boolean {
    return this.#idle === this.#reports.length && this.#tracker.isQuiet && this.#arePhysicalMessagesIn();
  }

  /** The latest tag that any partition has handled. */
  get lastTag(): Tag {
    return this.#reports.reduce((latest, report) => (report ? laterOf(latest, report.lastTag) : latest), START);
  }

  /** The tracker checks the rest of a report. */
  #check({ partition, physicalSent, physicalGot }: PartitionReport): void {
    const { physical } = this.options.plan;
    const isOwn =
      physicalSent.every(([edge]) => physical[edge]?.from.index === partition) &&
      physicalGot.every(([edge]) => physical[edge]?.to.index === partition);
    if (!isOwn) throw new ProgressReportError(partition, 'names a physical connection of another partition');
  }

  /**
   * Whether no message is under way over a physical edge, or over one that leads to the given partition. Compared edge by
   * edge: a total could be right by accident, while the report of a partition that received one message and sent another
   * is under way.
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

  /** The earliest partition may exceed its window: no other partition can make room for it. */
  #unblockEarliest(): void {
    for (const partition of this.#blocked) {
      if (!this.#isEarliest(partition)) continue;
      this.#blocked.delete(partition);
      this.#grant([{ ...this.#tracker.lastGrant(partition), overdraw: this.#tracker.effNET(partition) }]);
    }
  }

  /** Partitions that only wait for external input do not count. */
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

  /** A partition that only possible external input holds up needs to know when that input cannot come any more. */
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
