import type { RoostLogger } from '@roost/kernel';
import { type EdgeTag, ProgressTracker } from '../progress/progress-tracker.js';
import { ProgressReportError } from '../progress/progress-report.error.js';
import { formatTag } from '../time/format-tag.js';
import { FOREVER, isBefore, isSame, laterOf, NEVER, nextMicrostep, START, type Tag } from '../time/tag.js';
import { nodesOf } from './membership.js';
import type { PartitionGrant, PartitionReport, Resume } from './messages.js';
import type { ProcessPlan } from './plan.js';

export interface ProgressDeskOptions {
  readonly plan: ProcessPlan;
  readonly logger: RoostLogger;
  readonly isTraced: boolean;
  grant(process: string, grant: PartitionGrant): void;
  raiseFloor(process: string, partition: number, tag: Tag): void;
}

/** Takes the reports of all partitions, and tells each how far it may go. */
export class ProgressDesk {
  readonly #tracker: ProgressTracker;
  readonly #reports: (PartitionReport | undefined)[];
  readonly #gone = new Set<number>();
  /** Those that may get something from outside. */
  readonly #open = new Set<number>();
  readonly #starved = new Set<number>();
  /** By partition, up to where it was asked to raise its floor. */
  readonly #askedFloor = new Map<number, Tag>();
  /** By logical edge what has last been reported as received. */
  readonly #got: Tag[];
  /** By physical edge what has last been reported as sent, and as received. */
  readonly #physicalSent: Tag[];
  readonly #physicalGot: Tag[];
  #idle = 0;
  messages = 0;

  constructor(private readonly options: ProgressDeskOptions) {
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
    const { partition, isIdle, isOpen, isStarved } = report;
    this.#check(report);
    const grants = this.#tracker.report(report);
    if (this.#gone.has(partition)) return;
    const before = this.#reports[partition];
    this.#idle += Number(isIdle) - Number(before?.isIdle ?? false);
    // A restarted one has yet to get as far as it was.
    this.#reports[partition] = { ...report, last: laterOf(before?.last ?? NEVER, report.last) };
    raise(this.#got, report.got);
    raise(this.#physicalSent, report.physicalSent);
    raise(this.#physicalGot, report.physicalGot);
    mark(this.#open, partition, isOpen);
    mark(this.#starved, partition, isStarved);
    this.#grant(grants);
    if (this.#starved.size > 0) this.#feedStarved();
    if (this.#open.size > 0) this.#askFloors();
  }

  /** A partition is not counted any more; what it has sent still arrives. */
  remove(partition: number): void {
    if (this.#gone.has(partition)) return;
    this.#gone.add(partition);
    if (!this.#reports[partition]?.isIdle) this.#idle++;
    this.#open.delete(partition);
    this.#starved.delete(partition);
    const into = this.options.plan.logicalEdges.flatMap(({ to }, edge) => (to === partition ? [edge] : []));
    // What is on its way to it does not count any more.
    const got = into.map((edge): EdgeTag => [edge, FOREVER]);
    const grants = this.#tracker.report({ partition, net: FOREVER, sent: [], got });
    this.#grant([...grants, ...this.#tracker.remove(partition)].filter((grant) => grant.partition !== partition));
  }

  /** The first tag that a partition has not begun, as far as known. */
  notBegun(partition: number): Tag {
    const last = this.#reports[partition]?.last ?? NEVER;
    return isBefore(last, START) ? START : nextMicrostep(last);
  }

  /** Where a partition without its memory goes on. Nothing if it had not begun. */
  resumeOf(partition: number): Resume | undefined {
    const report = this.#reports[partition];
    if (!report) return undefined;
    const { safe, last } = report;
    const need = this.options.plan.logicalEdges.flatMap(({ from, to }, edge): EdgeTag[] => {
      // Nobody sends again what came from one that is gone.
      if (to !== partition || this.#gone.has(from)) return [];
      const [, sent] = this.#tracker.lastSent(from).find(([one]) => one === edge)!;
      const known = laterOf(sent, this.#got[edge]!);
      return isBefore(safe, known) ? [[edge, known]] : [];
    });
    return { partition, safe, last, need, sent: this.#tracker.lastSent(partition) };
  }

  /** To one that may not have got it, or has forgotten it. */
  grantAgain(partition: number): void {
    this.#grant([this.#tracker.lastGrant(partition)]);
  }

  /** Nobody has anything to do, nothing is on its way and nothing can come from outside. */
  get isComplete(): boolean {
    return this.#idle === this.#reports.length && this.#tracker.isQuiet && this.#arePhysicalMessagesIn();
  }

  /** The latest tag that anybody has handled. */
  get last(): Tag {
    return this.#reports.reduce((latest, report) => (report ? laterOf(latest, report.last) : latest), START);
  }

  /** The tracker looks after the rest. */
  #check({ partition, physicalSent, physicalGot }: PartitionReport): void {
    const { physical } = this.options.plan;
    const isOwn =
      physicalSent.every(([edge]) => physical[edge]?.from.index === partition) &&
      physicalGot.every(([edge]) => physical[edge]?.to.index === partition);
    if (!isOwn) throw new ProgressReportError(partition, 'is about a physical connection that is not its own');
  }

  /**
   * Of all partitions, or of one. Per connection: a sum could be right by accident, while the report of who received one and
   * sent another is on its way.
   */
  #arePhysicalMessagesIn(receiver?: number): boolean {
    return this.options.plan.physical.every(
      ({ from, to }, edge) =>
        (receiver !== undefined && to.index !== receiver) ||
        this.#gone.has(from.index) ||
        this.#gone.has(to.index) ||
        isSame(this.#physicalSent[edge]!, this.#physicalGot[edge]!),
    );
  }

  #grant(grants: readonly PartitionGrant[]): void {
    const { plan, logger, isTraced } = this.options;
    for (const grant of grants) {
      this.messages++;
      const partition = plan.partitions[grant.partition]!;
      if (isTraced)
        logger.log(`grant to ${nodesOf([partition]).join(', ')}: everything before ${formatTag(grant.bound)}`);
      this.options.grant(partition.process, grant);
    }
  }

  /** The earliest of all may go on in any case: nobody else could make room for it. */
  #feedStarved(): void {
    for (const partition of this.#starved) {
      if (!this.#isEarliest(partition)) continue;
      this.#starved.delete(partition);
      this.#grant([{ ...this.#tracker.lastGrant(partition), overdraw: this.#tracker.effNET(partition) }]);
    }
  }

  /** Not counting those who only wait for something from outside. */
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

  /** Who waits only for something from outside that may never come has to know when it cannot come any more. */
  #askFloors(): void {
    for (const [partition] of this.#reports.entries()) {
      const wanted = this.#tracker.effNET(partition);
      for (const blocker of this.#tracker.blockers(partition)) {
        const asked = this.#askedFloor.get(blocker);
        if (!this.#open.has(blocker) || (asked && !isBefore(asked, wanted))) continue;
        this.#askedFloor.set(blocker, wanted);
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
