import type { EdgeTag } from '../../progress/progress-tracker.js';
import { FOREVER, isBefore, NEVER, type Tag } from '../../time/tag.js';
import type { CrossEdge, PartitionPlan, ProcessPlan } from '../plan.js';
import type { PartitionReport } from '../wire/messages.js';
import { CheckpointTracker } from './checkpoint.js';
import { ReceiveWindow, SendWindows } from './flow-control.js';
import type { Resumption } from './resume.js';

export interface EdgeTrafficOptions {
  /** How many messages may be under way on an edge. */
  readonly window: number;
  /** Tells the sender that everything on the edge up to the tag is handled. */
  giveCredit(edge: CrossEdge, tag: Tag): void;
}

/** The part of a report that is about messages. */
export type TrafficReport = Pick<PartitionReport, 'sent' | 'got' | 'physicalSent' | 'physicalGot'>;

/** The messages that one partition has sent and received over its edges, and those that are not reported yet. */
export class EdgeTraffic {
  readonly sendWindows: SendWindows;
  /** Only in a process that may restart. */
  readonly checkpoint: CheckpointTracker | undefined;
  /** Edges in logical time that lead here, by their number in reports. */
  readonly #logicalInputs: readonly number[];
  readonly #receiveWindows = new Map<number, ReceiveWindow>();
  /** The number of each edge in reports. */
  readonly #numbers: ReadonlyMap<CrossEdge, number>;
  readonly #got = new Map<number, Tag>();
  readonly #physicalGot = new Map<number, Tag>();
  // Since the last report:
  #sent: EdgeTag[] = [];
  readonly #physicalSent = new Map<number, Tag>();
  readonly #receivedOn = new Set<number>();
  readonly #physicalReceivedOn = new Set<number>();

  constructor(
    self: PartitionPlan,
    { crossEdges, logical, physical, policies }: ProcessPlan,
    private readonly resumption: Resumption,
    private readonly options: EdgeTrafficOptions,
  ) {
    const outgoing = crossEdges.filter(({ from }) => from === self);
    const incoming = crossEdges.filter(({ to }) => to === self);
    for (const edge of incoming) this.#receiveWindows.set(edge.model.index, new ReceiveWindow(edge));
    this.#numbers = new Map([...logical.entries(), ...physical.entries()].map(([number, edge]) => [edge, number]));
    this.#logicalInputs = incoming.filter(({ model }) => !model.isPhysical).map((edge) => this.#numbers.get(edge)!);
    this.sendWindows = new SendWindows(options.window, outgoing, ({ to }) => policies.get(to.process) === 'restart');
    if (policies.get(self.process) === 'restart') {
      this.checkpoint = new CheckpointTracker(this.sendWindows, [...this.#receiveWindows.values()], outgoing);
    }
  }

  /** Per logical edge, by its number in reports, the tag of the last received message. */
  get got(): ReadonlyMap<number, Tag> {
    return this.#got;
  }

  /** Whether each of these messages has come, or a later one on its edge. */
  has(need: readonly EdgeTag[]): boolean {
    return need.every(([edge, needed]) => !isBefore(this.#got.get(edge) ?? NEVER, needed));
  }

  /** Whether every logical edge has brought a message at the tag or later: tags increase, so no earlier one follows. */
  hasPassed(tag: Tag): boolean {
    const edges = this.#logicalInputs;
    return edges.length > 0 && edges.every((edge) => !isBefore(this.#got.get(edge) ?? NEVER, tag));
  }

  /**
   * A message is sent.
   *
   * @param tag the tag at which it arrives
   * @param bytes the message, if the receiver may restart
   */
  sent(edge: CrossEdge, tag: Tag, sentAt: Tag, bytes?: Uint8Array): void {
    this.sendWindows.add(edge.model.index, tag, sentAt, bytes);
    const number = this.#numbers.get(edge)!;
    if (edge.model.isPhysical) this.#physicalSent.set(number, tag);
    else if (!this.resumption.wasReported(number, tag)) this.#sent.push([number, tag]);
  }

  /** False for a message that has come before: its sender, or this process, was restarted and it is sent again. */
  isNew(edge: CrossEdge, tag: Tag): boolean {
    const got = (edge.model.isPhysical ? this.#physicalGot : this.#got).get(this.#numbers.get(edge)!) ?? NEVER;
    const { checkpoint } = this.resumption;
    if (isBefore(got, tag) && isBefore(checkpoint, tag)) return true;
    const isHandled = !isBefore(checkpoint, tag) || this.#receiveWindows.get(edge.model.index)!.isHandled(tag);
    // A sender that repeats it may not have got the credit.
    if (isHandled) this.options.giveCredit(edge, tag);
    return false;
  }

  /** A message was received. @param due the tag at which it is handled */
  received(edge: CrossEdge, tag: Tag, due: Tag): void {
    this.#receiveWindows.get(edge.model.index)!.add(tag, due);
    this.#receivedUpTo(edge, tag);
  }

  /** The sender was removed from the run: no message on the edge is waited for. */
  abandon(edge: CrossEdge): void {
    this.#receivedUpTo(edge, FOREVER);
  }

  /** A tag is handled. In a process that may restart, credit waits for the checkpoint instead. */
  handled(tag: Tag): void {
    if (this.checkpoint) return;
    for (const window of this.#receiveWindows.values()) window.handled(tag);
    this.#giveCredit(Math.ceil(this.options.window / 2));
  }

  /** A report, and everything that was sent before it, is received. */
  confirmed({ lastTag, checkpoint }: PartitionReport): void {
    this.checkpoint?.confirmed(lastTag, checkpoint);
    this.#giveCredit(1);
  }

  /** Whether a message came over a physical edge since the last report. */
  get hasPhysicalNews(): boolean {
    return this.#physicalReceivedOn.size > 0;
  }

  /** Messages sent and received since the last call. */
  takeReport(): TrafficReport {
    const report = {
      sent: this.#sent,
      got: lastOn(this.#receivedOn, this.#got),
      physicalSent: [...this.#physicalSent],
      physicalGot: lastOn(this.#physicalReceivedOn, this.#physicalGot),
    };
    this.#sent = [];
    this.#physicalSent.clear();
    this.#receivedOn.clear();
    this.#physicalReceivedOn.clear();
    return report;
  }

  #receivedUpTo(edge: CrossEdge, tag: Tag): void {
    const number = this.#numbers.get(edge)!;
    const { isPhysical } = edge.model;
    (isPhysical ? this.#physicalGot : this.#got).set(number, tag);
    (isPhysical ? this.#physicalReceivedOn : this.#receivedOn).add(number);
  }

  #giveCredit(atLeast: number): void {
    for (const window of this.#receiveWindows.values()) {
      const tag = window.takeCredit(atLeast);
      if (tag) this.options.giveCredit(window.edge, tag);
    }
  }
}

function lastOn(edges: ReadonlySet<number>, got: ReadonlyMap<number, Tag>): EdgeTag[] {
  const all: EdgeTag[] = [];
  for (const edge of edges) all.push([edge, got.get(edge)!]);
  return all;
}
