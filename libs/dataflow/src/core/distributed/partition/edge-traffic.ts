import type { EdgeTag } from '../../progress/progress-tracker.js';
import { FOREVER, isBefore, NEVER, type Tag } from '../../time/tag.js';
import type { CrossEdge, PartitionPlan, ProcessPlan } from '../plan.js';
import type { PartitionReport } from '../wire/messages.js';
import { CheckpointTracker } from './checkpoint.js';
import { ReceiveWindow, SendWindows } from './flow-control.js';
import type { Resumption } from './resume.js';

export interface EdgeTrafficOptions {
  /** Maximum number of unhandled messages on an edge. */
  readonly window: number;
  /** Sends the sender credit for everything on the edge up to the tag. */
  giveCredit(edge: CrossEdge, tag: Tag): void;
}

/** The part of a report that lists messages. */
export type TrafficReport = Pick<PartitionReport, 'sent' | 'got' | 'physicalSent' | 'physicalGot'>;

/**
 * Tracks the messages that one partition has sent and received over its edges, and which of them are not reported yet.
 */
export class EdgeTraffic {
  readonly sendWindows: SendWindows;
  /** Defined only in a process that may restart. */
  readonly checkpoint: CheckpointTracker | undefined;
  /** Incoming logical edges, by their number in reports. */
  readonly #logicalInputs: readonly number[];
  readonly #receiveWindows = new Map<number, ReceiveWindow>();
  /** Number of each edge in reports. */
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

  /** By number of the logical edge in reports, the tag of the last received message. */
  get got(): ReadonlyMap<number, Tag> {
    return this.#got;
  }

  /** Whether each of these messages, or a later one on its edge, has arrived. */
  has(need: readonly EdgeTag[]): boolean {
    return need.every(([edge, needed]) => !isBefore(this.#got.get(edge) ?? NEVER, needed));
  }

  /**
   * Whether every logical edge has delivered a message at the tag or later. Tags increase, so no earlier message
   * follows.
   */
  hasPassed(tag: Tag): boolean {
    const edges = this.#logicalInputs;
    return edges.length > 0 && edges.every((edge) => !isBefore(this.#got.get(edge) ?? NEVER, tag));
  }

  /**
   * Records a sent message.
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

  /**
   * False for a message that arrived before and is now sent again, because its sender or this process was restarted.
   */
  isNew(edge: CrossEdge, tag: Tag): boolean {
    const got = (edge.model.isPhysical ? this.#physicalGot : this.#got).get(this.#numbers.get(edge)!) ?? NEVER;
    const { checkpoint } = this.resumption;
    if (isBefore(got, tag) && isBefore(checkpoint, tag)) return true;
    const isHandled = !isBefore(checkpoint, tag) || this.#receiveWindows.get(edge.model.index)!.isHandled(tag);
    // A sender that sends it again may not have received the credit.
    if (isHandled) this.options.giveCredit(edge, tag);
    return false;
  }

  /** Records a received message. @param due the tag at which it is handled */
  received(edge: CrossEdge, tag: Tag, due: Tag): void {
    this.#receiveWindows.get(edge.model.index)!.add(tag, due);
    this.#receivedUpTo(edge, tag);
  }

  /** Stops waiting for messages on the edge, because its sender was removed from the run. */
  abandon(edge: CrossEdge): void {
    this.#receivedUpTo(edge, FOREVER);
  }

  /** Records a handled tag and gives credit. In a process that may restart, credit waits for the checkpoint instead. */
  handled(tag: Tag): void {
    if (this.checkpoint) return;
    for (const window of this.#receiveWindows.values()) window.handled(tag);
    this.#giveCredit(Math.ceil(this.options.window / 2));
  }

  /** Records that a report, and every message sent before it, has been received. */
  confirmed({ lastTag, checkpoint }: PartitionReport): void {
    this.checkpoint?.confirmed(lastTag, checkpoint);
    this.#giveCredit(1);
  }

  /** Whether a message has arrived over a physical edge since the last report. */
  get hasPhysicalNews(): boolean {
    return this.#physicalReceivedOn.size > 0;
  }

  /** Returns the messages sent and received since the last call. */
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
