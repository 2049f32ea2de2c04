import { messageOf } from '@roost/kernel';
import { Partition, type PartitionOptions } from '../../engine/partition.js';
import { DataflowError } from '../../errors/dataflow.error.js';
import { MalformedMessageError } from '../../errors/malformed-message.error.js';
import { UnserialisablePayloadError } from '../../errors/unserialisable-payload.error.js';
import { describeEdge, type EdgeModel } from '../../graph/model.js';
import { seal, type Sealed } from '../../payload/seal.js';
import type { NodeReport } from '../../report.js';
import { isBefore, laterOf, START, type Tag } from '../../time/tag.js';
import { type CrossEdge, isInstant, type PartitionPlan, type ProcessPlan } from '../plan.js';
import { encode } from '../wire/codec.js';
import type { PartitionGrant, PartitionReport, ResumePoint, ToCoordinator } from '../wire/messages.js';
import type { PayloadSerializer } from '../wire/serializer.js';
import { LocalPartition } from './local-partition.js';

export interface DataPlaneOptions {
  readonly plan: ProcessPlan;
  readonly process: string;
  readonly window: number;
  readonly serializer: PayloadSerializer;
  /** Options shared by all partitions of a run. */
  readonly shared: Omit<PartitionOptions, 'nodes' | 'sendAway'>;
  readonly plannedStop: Tag | undefined;
  toPeer(process: string, bytes: Uint8Array): void;
  toCoordinator(message: ToCoordinator): void;
  /**
   * Resolves with true when these processes have received everything sent so far, and with false if they never will.
   */
  received(processes: readonly string[]): Promise<boolean>;
}

/**
 * The partitions of this process, and their messages to and from partitions of other processes. Values travel directly
 * between processes, never through the coordinator. See docs/how-processes-agree.md.
 */
export class DataPlane {
  readonly #locals = new Map<number, LocalPartition>();
  /** By index of the edge in the graph. */
  readonly #crossEdges: ReadonlyMap<number, CrossEdge>;
  readonly #removed = new Set<string>();

  constructor(private readonly options: DataPlaneOptions) {
    const { plan, process } = options;
    this.#crossEdges = new Map(plan.crossEdges.map((edge) => [edge.model.index, edge]));
    for (const one of plan.partitions) if (one.process === process) this.#locals.set(one.index, this.#create(one));
  }

  get partitions(): Partition[] {
    return [...this.#locals.values()].map(({ partition }) => partition);
  }

  /** The tag of the partition that is furthest ahead. */
  get tag(): Tag {
    return this.partitions.map(({ scheduler }) => scheduler.tag).reduce(laterOf, START);
  }

  /** Runs all partitions. Each reports to the coordinator when it has stopped. */
  start(resume: readonly ResumePoint[]): void {
    for (const local of this.#locals.values()) {
      const point = resume.find(({ partition }) => partition === local.plan.index);
      if (point) local.resumeFrom(point);
      void local.partition.run(local.admission, point?.checkpoint).then(() => this.#stopped(local));
    }
  }

  grant(grant: PartitionGrant): void {
    this.#locals.get(grant.partition)?.admission.grant(grant);
  }

  raiseFloor(partition: number, tag: Tag): void {
    this.#locals.get(partition)?.requestFloor(tag);
  }

  /**
   * Answers a stop proposal for every partition with the earliest tag at which it can stop, and holds it there for now.
   */
  answerStop(round: number, tag: Tag, isFinal: boolean): void {
    for (const { plan, partition, admission } of this.#locals.values()) {
      if (isFinal) partition.scheduler.acceptsPhysical = false;
      const answer = laterOf(tag, admission.earliestStop);
      admission.barrier = answer;
      this.options.toCoordinator({ kind: 'stop-answer', round, partition: plan.index, tag: answer });
    }
  }

  stopAt(tag: Tag, isFinal: boolean): void {
    for (const { partition, admission } of this.#locals.values()) {
      admission.barrier = undefined;
      admission.planStop(tag);
      const { scheduler } = partition;
      if (isFinal && !(scheduler.stopTag && !isBefore(tag, scheduler.stopTag))) scheduler.stopAt(tag);
      partition.wake();
    }
  }

  /** @throws MalformedMessageError */
  receiveData(from: string, index: number, tag: Tag, payload: Uint8Array): void {
    const edge = this.#crossEdges.get(index);
    if (edge?.from.process !== from || !this.#locals.has(edge.to.index)) {
      throw new MalformedMessageError(
        from,
        `it is for edge ${index}, which does not lead from that process to this one`,
      );
    }
    let sealed: Sealed;
    try {
      sealed = seal(this.options.serializer.deserialize(payload));
    } catch (cause) {
      throw new MalformedMessageError(from, 'its payload cannot be read', { cause });
    }
    this.#deliver(edge, tag, sealed);
  }

  /** @throws MalformedMessageError */
  receiveCredit(from: string, index: number, tag: Tag): void {
    const edge = this.#crossEdges.get(index);
    const sender = edge && this.#locals.get(edge.from.index);
    if (!sender || edge.to.process !== from) {
      throw new MalformedMessageError(
        from,
        `it is about edge ${index}, which does not lead from this process to that one`,
      );
    }
    sender.credited(index, tag);
  }

  /** @throws MalformedMessageError */
  closeEdge(from: string, index: number): void {
    const edge = this.#crossEdges.get(index);
    const receiver = edge && this.#locals.get(edge.to.index);
    if (!receiver || edge.from.process !== from) {
      throw new MalformedMessageError(
        from,
        `it is about edge ${index}, which does not lead from that process to this one`,
      );
    }
    receiver.closeEdge(edge);
  }

  /** Resends everything after the checkpoint of a restarted process. */
  peerRestarted(process: string): void {
    for (const edge of this.options.plan.crossEdges) {
      const sender = edge.to.process === process ? this.#locals.get(edge.from.index) : undefined;
      if (!sender) continue;
      for (const bytes of sender.traffic.sendWindows.retained(edge.model.index)) this.options.toPeer(process, bytes);
      if (sender.hasStopped) this.#sendEdgeClosed(edge);
    }
  }

  /** Stops sending to a process that was removed from the run, and stops waiting for its messages. */
  peerRemoved(process: string): void {
    this.#removed.add(process);
    for (const edge of this.options.plan.crossEdges) {
      if (edge.from.process === process) this.#locals.get(edge.to.index)?.abandonEdge(edge);
      if (edge.to.process === process) this.#locals.get(edge.from.index)?.traffic.sendWindows.close(edge.model.index);
    }
    for (const local of this.#locals.values()) {
      local.reportCheckpoint();
      local.partition.wake();
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
    const local = new LocalPartition(partition, plan, options.plan, {
      timeline,
      isFast,
      isReplay: options.shared.replay !== undefined,
      window: options.window,
      report: (report) => this.#report(local, report),
      giveCredit: (edge, tag) => this.#giveCredit(edge, tag),
      plannedStopReached: () => options.toCoordinator({ kind: 'planned-stop-reached' }),
    });
    if (options.plannedStop) local.admission.planStop(options.plannedStop);
    return local;
  }

  #send(local: LocalPartition, model: EdgeModel, tag: Tag, sealed: Sealed): void {
    const edge = this.#crossEdges.get(model.index)!;
    const { process } = edge.to;
    const sentAt = local.partition.scheduler.tag;
    if (process === this.options.process) {
      local.traffic.sent(edge, tag, sentAt);
      return this.#deliver(edge, tag, sealed);
    }
    const isRetained = this.options.plan.policies.get(process) === 'restart';
    try {
      const payload = this.options.serializer.serialize(sealed.value);
      const bytes = encode({ kind: 'data', edge: model.index, tag, payload });
      if (!this.#removed.has(process)) this.options.toPeer(process, bytes);
      local.traffic.sent(edge, tag, sentAt, isRetained ? bytes : undefined);
      local.dataMessages++;
    } catch (cause) {
      // The run must fail even if the node catches the error, because the receiver would wait for the message.
      const error =
        cause instanceof DataflowError
          ? cause
          : new UnserialisablePayloadError(describeEdge(model), tag, messageOf(cause));
      this.options.shared.failed(error);
      throw error;
    }
  }

  #deliver(edge: CrossEdge, tag: Tag, sealed: Sealed): void {
    const { traffic, partition } = this.#locals.get(edge.to.index)!;
    if (traffic.isNew(edge, tag)) traffic.received(edge, tag, partition.deliver(edge.model, tag, sealed));
  }

  #giveCredit({ model, from: { process } }: CrossEdge, tag: Tag): void {
    if (process === this.options.process) this.receiveCredit(process, model.index, tag);
    else if (!this.#removed.has(process))
      this.options.toPeer(process, encode({ kind: 'credit', edge: model.index, tag }));
  }

  #report(local: LocalPartition, report: PartitionReport): void {
    this.options.toCoordinator({ kind: 'report', report });
    if (local.traffic.checkpoint) void this.#confirm(local, report);
  }

  /** Waits only for receivers that are not restarted. The others report their own checkpoints, and credit follows. */
  async #confirm(local: LocalPartition, report: PartitionReport): Promise<void> {
    const { plan } = this.options;
    const receivers = plan.crossEdges.filter(({ from }) => from === local.plan).map(({ to }) => to.process);
    const lasting = receivers.filter((process) => plan.policies.get(process) !== 'restart');
    let isReceived = false;
    while (!isReceived) {
      const present = lasting.filter((process) => !this.#removed.has(process));
      isReceived = await this.options.received([...new Set([plan.coordinator, ...present])]);
      if (!isReceived && !present.some((process) => this.#removed.has(process))) return;
    }
    local.confirmed(report);
  }

  #stopped(local: LocalPartition): void {
    const { plan, partition, dataMessages } = local;
    // Must come first: the next report has no next event, which at the stop tag does not mean that the graph has
    // completed.
    const nodes = partition.report();
    this.options.toCoordinator({ kind: 'partition-stopped', partition: plan.index, nodes, dataMessages });
    local.stopped();
    for (const edge of this.options.plan.crossEdges) if (edge.from === plan) this.#sendEdgeClosed(edge);
  }

  #sendEdgeClosed(edge: CrossEdge): void {
    const { model, to } = edge;
    if (!isInstant(edge) || this.#removed.has(to.process)) return;
    if (to.process === this.options.process) this.closeEdge(to.process, model.index);
    else this.options.toPeer(to.process, encode({ kind: 'edge-closed', edge: model.index }));
  }
}
