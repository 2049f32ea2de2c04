import { messageOf } from '@roost/kernel';
import { Partition, type PartitionOptions } from '../engine/partition.js';
import { DataflowError } from '../errors/dataflow.error.js';
import { MalformedMessageError } from '../errors/malformed-message.error.js';
import { UnserialisablePayloadError } from '../errors/unserialisable-payload.error.js';
import { describeEdge, type EdgeModel } from '../graph/model.js';
import { seal, type Sealed } from '../payload/seal.js';
import type { NodeReport } from '../report.js';
import { isBefore, laterOf, START, type Tag } from '../time/tag.js';
import { encode } from './codec.js';
import type { PartitionGrant, PartitionReport, Resume, ToCoordinator } from './messages.js';
import { type CrossEdge, isInstant, type PartitionPlan, type ProcessPlan } from './plan.js';
import { ProtocolGate } from './protocol-gate.js';
import type { PayloadSerializer } from './serializer.js';

export interface DataPlaneOptions {
  readonly plan: ProcessPlan;
  readonly process: string;
  readonly window: number;
  readonly serializer: PayloadSerializer;
  /** Everything that partitions of a run share. */
  readonly shared: Omit<PartitionOptions, 'nodes' | 'sendAway'>;
  readonly plannedStop: Tag | undefined;
  toPeer(process: string, bytes: Uint8Array): void;
  toCoordinator(message: ToCoordinator): void;
  /** True when these have received what was sent to them until now; false if that will never be. */
  received(processes: readonly string[]): Promise<boolean>;
}

/** A partition that runs here. */
interface LocalPartition {
  readonly plan: PartitionPlan;
  readonly partition: Partition;
  readonly gate: ProtocolGate;
  sent: number;
}

/** The partitions of this process, and the messages between them and those of others. */
export class DataPlane {
  readonly #locals = new Map<number, LocalPartition>();
  /** By the index of the edge in the graph. */
  readonly #crossEdges: ReadonlyMap<number, CrossEdge>;
  readonly #gone = new Set<string>();

  constructor(private readonly options: DataPlaneOptions) {
    const { plan, process } = options;
    this.#crossEdges = new Map(plan.crossEdges.map((edge) => [edge.model.index, edge]));
    for (const one of plan.partitions) if (one.process === process) this.#locals.set(one.index, this.#create(one));
  }

  get partitions(): Partition[] {
    return [...this.#locals.values()].map(({ partition }) => partition);
  }

  /** How far the furthest partition is. */
  get tag(): Tag {
    return this.partitions.map(({ scheduler }) => scheduler.tag).reduce(laterOf, START);
  }

  /** Runs all partitions. Each tells the coordinator when it has ended. */
  start(resume: readonly Resume[]): void {
    for (const local of this.#locals.values()) {
      const from = resume.find(({ partition }) => partition === local.plan.index);
      if (from) local.gate.resumeFrom(from);
      void local.partition.run(local.gate, from?.safe).then(() => this.#ended(local));
    }
  }

  grant(grant: PartitionGrant): void {
    this.#locals.get(grant.partition)?.gate.granted(grant);
  }

  raiseFloor(partition: number, tag: Tag): void {
    this.#locals.get(partition)?.gate.wantsFloor(tag);
  }

  /** Every partition says where it can stop, and waits there. */
  askStop(round: number, tag: Tag, isFinal: boolean): void {
    for (const { plan, partition, gate } of this.#locals.values()) {
      if (isFinal) partition.scheduler.acceptsPhysical = false;
      const answer = laterOf(tag, gate.earliestStop);
      gate.barrier = answer;
      this.options.toCoordinator({ kind: 'stop-answer', round, partition: plan.index, tag: answer });
    }
  }

  stopAt(tag: Tag, isFinal: boolean): void {
    for (const { partition, gate } of this.#locals.values()) {
      gate.barrier = undefined;
      gate.planStop(tag);
      const { scheduler } = partition;
      if (isFinal && !(scheduler.stopTag && !isBefore(tag, scheduler.stopTag))) scheduler.stopAt(tag);
      partition.wake();
    }
  }

  /** @throws MalformedMessageError */
  data(from: string, index: number, tag: Tag, payload: Uint8Array): void {
    const edge = this.#crossEdges.get(index);
    if (edge?.from.process !== from || !this.#locals.has(edge.to.index)) {
      throw new MalformedMessageError(from, `it is for connection ${index}, which does not lead from there to here`);
    }
    let sealed: Sealed;
    try {
      sealed = seal(this.options.serializer.deserialize(payload));
    } catch (cause) {
      throw new MalformedMessageError(from, 'its payload cannot be read', { cause });
    }
    this.#arrive(edge, tag, sealed);
  }

  /** @throws MalformedMessageError */
  credit(from: string, index: number, tag: Tag): void {
    const edge = this.#crossEdges.get(index);
    const sender = edge && this.#locals.get(edge.from.index);
    if (!sender || edge.to.process !== from) {
      throw new MalformedMessageError(from, `it is about connection ${index}, which does not lead from here to there`);
    }
    sender.gate.outboxes.release(index, tag);
    sender.gate.safetyChanged();
    sender.partition.wake();
  }

  /** @throws MalformedMessageError */
  last(from: string, index: number): void {
    const edge = this.#crossEdges.get(index);
    const receiver = edge && this.#locals.get(edge.to.index);
    if (!receiver || edge.from.process !== from) {
      throw new MalformedMessageError(from, `it is about connection ${index}, which does not lead from there to here`);
    }
    receiver.gate.last(edge);
  }

  /** A process has lost its memory: it gets again what it has not told to be safe. */
  peerRestarted(process: string): void {
    for (const edge of this.options.plan.crossEdges) {
      const sender = edge.to.process === process ? this.#locals.get(edge.from.index) : undefined;
      if (!sender) continue;
      for (const bytes of sender.gate.outboxes.kept(edge.model.index)) this.options.toPeer(process, bytes);
      if (sender.gate.hasEnded) this.#sendLast(edge);
    }
  }

  /** A process is gone for good: nobody takes what is sent to it, and what has not come from it will not come. */
  peerGone(process: string): void {
    this.#gone.add(process);
    for (const edge of this.options.plan.crossEdges) {
      if (edge.from.process === process) this.#locals.get(edge.to.index)?.gate.giveUp(edge);
      if (edge.to.process === process) this.#locals.get(edge.from.index)?.gate.outboxes.close(edge.model.index);
    }
    for (const { gate, partition } of this.#locals.values()) {
      gate.safetyChanged();
      partition.wake();
    }
  }

  report(): Record<string, NodeReport> {
    return Object.assign({}, ...this.partitions.map((partition) => partition.report())) as Record<string, NodeReport>;
  }

  #create(plan: PartitionPlan): LocalPartition {
    const { options } = this;
    const { timeline, isFast } = options.shared;
    const partition = new Partition({
      ...options.shared,
      nodes: plan.nodes,
      sendAway: (edge, tag, sealed) => this.#send(local, edge, tag, sealed),
    });
    const gate = new ProtocolGate(partition, plan, options.plan, {
      timeline,
      isFast,
      isReplay: options.shared.replay !== undefined,
      window: options.window,
      report: (report) => this.#report(local, report),
      giveCredit: (edge, tag) => this.#giveCredit(edge, tag),
      planReached: () => options.toCoordinator({ kind: 'plan-reached' }),
    });
    if (options.plannedStop) gate.planStop(options.plannedStop);
    const local: LocalPartition = { plan, partition, gate, sent: 0 };
    return local;
  }

  #send(local: LocalPartition, model: EdgeModel, tag: Tag, sealed: Sealed): void {
    const edge = this.#crossEdges.get(model.index)!;
    const { process } = edge.to;
    if (process === this.options.process) {
      local.gate.sent(edge, tag);
      return this.#arrive(edge, tag, sealed);
    }
    const isKept = this.options.plan.policies.get(process) === 'restart';
    try {
      const payload = this.options.serializer.serialize(sealed.value);
      const bytes = encode({ kind: 'data', edge: model.index, tag, payload });
      if (!this.#gone.has(process)) this.options.toPeer(process, bytes);
      local.gate.sent(edge, tag, isKept ? bytes : undefined);
      local.sent++;
    } catch (cause) {
      // Also when the node catches it: others would wait for it.
      const error =
        cause instanceof DataflowError
          ? cause
          : new UnserialisablePayloadError(describeEdge(model), tag, messageOf(cause));
      this.options.shared.failed(error);
      throw error;
    }
  }

  #arrive(edge: CrossEdge, tag: Tag, sealed: Sealed): void {
    const { gate, partition } = this.#locals.get(edge.to.index)!;
    if (gate.isNew(edge, tag)) gate.received(edge, tag, partition.deliver(edge.model, tag, sealed));
  }

  #giveCredit({ model, from: { process } }: CrossEdge, tag: Tag): void {
    if (process === this.options.process) this.credit(process, model.index, tag);
    else if (!this.#gone.has(process)) this.options.toPeer(process, encode({ kind: 'credit', edge: model.index, tag }));
  }

  #report(local: LocalPartition, report: PartitionReport): void {
    this.options.toCoordinator({ kind: 'report', report });
    if (local.gate.safety) void this.#confirm(local, report);
  }

  /** Those who may be restarted tell by themselves what they do not need again. */
  async #confirm({ gate, plan: self }: LocalPartition, report: PartitionReport): Promise<void> {
    const { plan } = this.options;
    const receivers = plan.crossEdges.filter(({ from }) => from === self).map(({ to }) => to.process);
    const lasting = receivers.filter((process) => plan.policies.get(process) !== 'restart');
    let isReceived = false;
    while (!isReceived) {
      const left = lasting.filter((process) => !this.#gone.has(process));
      isReceived = await this.options.received([...new Set([plan.coordinator, ...left])]);
      if (!isReceived && !left.some((process) => this.#gone.has(process))) return;
    }
    gate.confirmed(report);
  }

  #ended({ plan, partition, gate, sent }: LocalPartition): void {
    // Before it says that it has nothing to do: at the stop tag that is not the same as to be complete.
    this.options.toCoordinator({ kind: 'ended', partition: plan.index, nodes: partition.report(), sent });
    gate.ended();
    for (const edge of this.options.plan.crossEdges) if (edge.from === plan) this.#sendLast(edge);
  }

  #sendLast(edge: CrossEdge): void {
    const { model, to } = edge;
    if (!isInstant(edge) || this.#gone.has(to.process)) return;
    if (to.process === this.options.process) this.last(to.process, model.index);
    else this.options.toPeer(to.process, encode({ kind: 'last', edge: model.index }));
  }
}
