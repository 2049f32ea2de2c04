import type { Partition } from '../../engine/partition.js';
import type { AdmissionControl } from '../../engine/runner.js';
import type { Timeline } from '../../engine/timeline.js';
import type { EdgeTag } from '../../progress/progress-tracker.js';
import { earlierOf, FOREVER, isBefore, isSame, laterOf, NEVER, nextMicrostep, type Tag } from '../../time/tag.js';
import { Inbox, Outboxes } from './flow-control.js';
import type { PartitionGrant, PartitionReport, Resume } from '../wire/messages.js';
import { Outside } from './external-input.js';
import { PastLife } from './resume.js';
import { type CrossEdge, isInstant, type PartitionPlan, type ProcessPlan } from '../plan.js';
import { Safety } from './checkpoint.js';

/** What a gate needs of its process. */
export interface GateHost {
  readonly timeline: Timeline;
  readonly isFast: boolean;
  /** It stops at the plan also when there is nothing to do before. */
  readonly isReplay: boolean;
  /** How many messages may be under way on an edge. */
  readonly window: number;
  report(report: PartitionReport): void;
  /** Everything on the edge up to the tag is handled. */
  giveCredit(edge: CrossEdge, tag: Tag): void;
  /** It stands at the planned stop. */
  planReached(): void;
}

/** A report after so many tags, even if there is more to do: others may be waiting. */
const TAGS_PER_REPORT = 64;

/** Lets a partition handle what the coordinator says can no longer be overtaken, and tells the coordinator what it did. */
export class ProtocolGate implements AdmissionControl {
  readonly outboxes: Outboxes;
  /** Only if its process may be restarted. */
  readonly safety: Safety | undefined;
  /** During the negotiation of a stop: nothing from this tag on is begun. */
  barrier: Tag | undefined;
  readonly #outside: Outside;
  readonly #inboxes = new Map<number, Inbox>();
  /** Of each edge its number in reports. */
  readonly #numbers: ReadonlyMap<CrossEdge, number>;
  /** Those in logical time that end here, by their numbers. */
  readonly #edgesIn: readonly number[];
  /** Edges over which something may still come at the stop tag: who is before it has not handled that. */
  readonly #unfinished: Set<CrossEdge>;
  /** By the number of the edge, the last that has come. */
  readonly #got = new Map<number, Tag>();
  readonly #physicalGot = new Map<number, Tag>();
  #pastLife = new PastLife();
  #bound: Tag = NEVER;
  #need: readonly EdgeTag[] = [];
  #overdraw: Tag = NEVER;
  #hasEnded = false;
  #hasToldOfStop = false;
  // Since the last report:
  #sent: EdgeTag[] = [];
  readonly #physicalSent = new Map<number, Tag>();
  readonly #news = new Set<number>();
  readonly #physicalNews = new Set<number>();
  #tagsUnreported = 0;
  #mustReport = true;
  #reported: Pick<PartitionReport, 'net' | 'isIdle' | 'isStarved'> | undefined;

  constructor(
    private readonly partition: Partition,
    private readonly self: PartitionPlan,
    { crossEdges, logical, physical, policies }: ProcessPlan,
    private readonly host: GateHost,
  ) {
    const { timeline, isFast, window } = host;
    const outgoing = crossEdges.filter(({ from }) => from === self);
    const incoming = crossEdges.filter(({ to }) => to === self);
    for (const edge of incoming) this.#inboxes.set(edge.model.index, new Inbox(edge));
    this.#numbers = new Map([...logical.entries(), ...physical.entries()].map(([number, edge]) => [edge, number]));
    this.#edgesIn = incoming.filter(({ model }) => !model.isPhysical).map((edge) => this.#numbers.get(edge)!);
    this.#unfinished = new Set(incoming.filter(isInstant));
    this.outboxes = new Outboxes(window, outgoing, ({ to }) => policies.get(to.process) === 'restart');
    const hasPhysicalInputs = incoming.some(({ model }) => model.isPhysical);
    this.#outside = new Outside(partition.scheduler, timeline, isFast, hasPhysicalInputs);
    if (policies.get(self.process) === 'restart') {
      this.safety = new Safety(this.outboxes, [...this.#inboxes.values()], outgoing);
    }
  }

  /** Goes on where an earlier life of this process has ended. */
  resumeFrom(resume: Resume): void {
    this.#pastLife = new PastLife(resume);
    this.safety?.resumeFrom(resume.safe);
  }

  admits(tag: Tag): boolean {
    const plan = this.partition.scheduler.plannedStop;
    if (plan && !isBefore(tag, plan)) this.#reach(plan);
    if (this.barrier && !isBefore(tag, this.barrier)) return false;
    if (this.#unfinished.size > 0 && this.#isStop(tag)) return this.#waitAtStop(tag);
    if (!this.#pastLife.hasAll(this.#got)) return false;
    if (!this.#isGranted(tag) && !this.#isOutrun(tag)) return false;
    // What an earlier life has sent has found its room.
    return !this.outboxes.isFull || !isBefore(this.#overdraw, tag) || !isBefore(this.#pastLife.last, tag);
  }

  handled(tag: Tag): void {
    if (!this.safety) {
      for (const inbox of this.#inboxes.values()) inbox.handled(tag);
      this.#giveCredit(Math.ceil(this.host.window / 2));
    }
    if (++this.#tagsUnreported >= TAGS_PER_REPORT && !this.#isStop(tag)) this.#report(this.partition.scheduler.next);
  }

  pausing(next: Tag | undefined): number | undefined {
    const { host } = this;
    const { plannedStop: plan, isOpen } = this.partition.scheduler;
    const isWaiting = !next && plan && (host.isReplay || isOpen);
    const planMs = isWaiting ? host.timeline.msUntil(plan.time) : undefined;
    if (isWaiting && (host.isReplay || host.isFast || planMs === 0)) {
      this.#reach(plan);
      return undefined;
    }
    const floorMs = this.#outside.raise();
    this.#report(next);
    const stopMs = next && this.#isStop(next) ? this.#msUntil(next) : 0;
    const waits = [floorMs, planMs, stopMs || undefined].filter((ms) => ms !== undefined);
    return waits.length > 0 ? Math.min(...waits) : undefined;
  }

  granted({ bound, need, overdraw }: PartitionGrant): void {
    // The same bound again says nothing about what is needed.
    if (isBefore(this.#bound, bound)) {
      this.#bound = bound;
      this.#need = need;
    }
    if (overdraw) this.#overdraw = laterOf(this.#overdraw, overdraw);
    this.partition.wake();
  }

  wantsFloor(tag: Tag): void {
    this.#outside.want(tag);
    this.partition.wake();
  }

  /** It goes no further than this tag, if it gets there. */
  planStop(tag: Tag): void {
    this.partition.scheduler.plannedStop = tag;
  }

  /** The earliest tag at which it can stop. */
  get earliestStop(): Tag {
    const { last } = this.#pastLife;
    const { earliestStop } = this.partition.scheduler;
    return isSame(last, NEVER) ? earliestStop : laterOf(earliestStop, nextMicrostep(last));
  }

  /** A message goes out. @param tag with which it arrives @param bytes if the receiver may want it again */
  sent(edge: CrossEdge, tag: Tag, bytes?: Uint8Array): void {
    this.outboxes.add(edge.model.index, tag, this.partition.scheduler.tag, bytes);
    const number = this.#numbers.get(edge)!;
    if (edge.model.isPhysical) this.#physicalSent.set(number, tag);
    else if (!this.#pastLife.hasReported(number, tag)) this.#sent.push([number, tag]);
  }

  /** Whether a message has not come before, from an earlier life of its sender or to one of ours. */
  isNew(edge: CrossEdge, tag: Tag): boolean {
    const got = (edge.model.isPhysical ? this.#physicalGot : this.#got).get(this.#numbers.get(edge)!) ?? NEVER;
    if (isBefore(got, tag) && isBefore(this.#pastLife.safe, tag)) return true;
    const isHandled = !isBefore(this.#pastLife.safe, tag) || this.#inboxes.get(edge.model.index)!.isHandled(tag);
    // Whoever sends it again may not have been told.
    if (isHandled) this.host.giveCredit(edge, tag);
    return false;
  }

  /** A message has come in. @param due when it is handled */
  received(edge: CrossEdge, tag: Tag, due: Tag): void {
    this.#inboxes.get(edge.model.index)!.add(tag, due);
    this.#gotUpTo(edge, tag);
  }

  /** Everything that was sent over an edge, up to the stop tag, has come. */
  last(edge: CrossEdge): void {
    this.#unfinished.delete(edge);
    this.partition.wake();
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Nothing more will come over an edge, whatever was sent. */
  giveUp(edge: CrossEdge): void {
    this.#unfinished.delete(edge);
    this.#gotUpTo(edge, FOREVER);
    this.#mustReport = true;
  }

  /** A report, and everything that was sent before it, has arrived. */
  confirmed(report: PartitionReport): void {
    this.safety?.confirmed(report.last, report.safe);
    this.#giveCredit(1);
    this.safetyChanged();
  }

  safetyChanged(): void {
    if (!this.safety?.hasNews()) return;
    this.#mustReport = true;
    this.partition.wake();
  }

  /** The stop tag was handled: there is nothing more to come. */
  ended(): void {
    this.#hasEnded = true;
    this.#report(undefined);
  }

  /** Those before it may have nothing to do, and not know that it is time to stop. */
  #waitAtStop(tag: Tag): false {
    if (!this.#hasToldOfStop && this.#msUntil(tag) === 0) {
      this.#hasToldOfStop = true;
      this.host.planReached();
    }
    return false;
  }

  #msUntil({ time }: Tag): number {
    return this.host.isFast ? 0 : this.host.timeline.msUntil(time);
  }

  #isStop(tag: Tag): boolean {
    const { stopTag } = this.partition.scheduler;
    return stopTag !== undefined && isSame(tag, stopTag);
  }

  #gotUpTo(edge: CrossEdge, tag: Tag): void {
    const number = this.#numbers.get(edge)!;
    const { isPhysical } = edge.model;
    (isPhysical ? this.#physicalGot : this.#got).set(number, tag);
    (isPhysical ? this.#physicalNews : this.#news).add(number);
  }

  #giveCredit(atLeast: number): void {
    for (const inbox of this.#inboxes.values()) {
      const tag = inbox.takeHandled(atLeast);
      if (tag) this.host.giveCredit(inbox.edge, tag);
    }
  }

  #isGranted(tag: Tag): boolean {
    if (!isBefore(tag, this.#bound)) return false;
    const hasAll = this.#need.every(([edge, needed]) => !isBefore(this.#got.get(edge) ?? NEVER, needed));
    if (hasAll) this.#need = [];
    return hasAll;
  }

  /** Whether every connection has brought something as late as the tag: then nothing earlier can follow. */
  #isOutrun(tag: Tag): boolean {
    return this.#edgesIn.length > 0 && this.#edgesIn.every((edge) => !isBefore(this.#got.get(edge) ?? NEVER, tag));
  }

  #reach(plan: Tag): void {
    const { scheduler } = this.partition;
    if (scheduler.stopTag && !isBefore(plan, scheduler.stopTag)) return;
    scheduler.stopAt(plan);
    this.partition.wake();
  }

  #report(next: Tag | undefined): void {
    const { scheduler } = this.partition;
    const isOpen = !this.#hasEnded && this.#outside.isOpen;
    const own = this.#hasEnded || !next ? FOREVER : { time: next.time, microstep: next.microstep };
    // Until it is where it was, what it said then is still true.
    if (!this.#pastLife.hasAll(this.#got) || !isBefore(this.#pastLife.last, own)) return;
    const net = isOpen ? earlierOf(own, this.#outside.floor) : own;
    const hasEvents = !isSame(own, FOREVER);
    const isIdle = !hasEvents && !scheduler.isOpen;
    const isStarved = hasEvents && this.outboxes.isFull;
    if (!this.#isNews(net, isIdle, isStarved)) return;
    this.#reported = { net, isIdle, isStarved };
    const report: PartitionReport = {
      partition: this.self.index,
      net,
      hasEvents,
      isIdle,
      isOpen,
      isStarved,
      last: scheduler.tag,
      safe: this.safety?.tell() ?? NEVER,
      sent: this.#sent,
      got: latest(this.#news, this.#got),
      physicalSent: [...this.#physicalSent],
      physicalGot: latest(this.#physicalNews, this.#physicalGot),
    };
    this.#sent = [];
    this.#physicalSent.clear();
    this.#news.clear();
    this.#physicalNews.clear();
    this.#tagsUnreported = 0;
    this.#mustReport = false;
    this.host.report(report);
  }

  #isNews(net: Tag, isIdle: boolean, isStarved: boolean): boolean {
    const before = this.#reported;
    return (
      this.#mustReport ||
      this.#tagsUnreported > 0 ||
      this.#physicalNews.size > 0 ||
      !before ||
      !isSame(net, before.net) ||
      isIdle !== before.isIdle ||
      isStarved !== before.isStarved
    );
  }
}

function latest(edges: ReadonlySet<number>, got: ReadonlyMap<number, Tag>): EdgeTag[] {
  const all: EdgeTag[] = [];
  for (const edge of edges) all.push([edge, got.get(edge)!]);
  return all;
}
