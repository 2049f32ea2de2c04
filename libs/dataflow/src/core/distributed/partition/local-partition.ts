import type { Partition } from '../../engine/partition.js';
import type { Tag } from '../../time/tag.js';
import { type CrossEdge, isInstant, type PartitionPlan, type ProcessPlan } from '../plan.js';
import type { PartitionReport, ResumePoint } from '../wire/messages.js';
import { type AdmissionOptions, GrantAdmission } from './admission.js';
import { EdgeTraffic, type EdgeTrafficOptions } from './edge-traffic.js';
import { ExternalInput } from './external-input.js';
import { ProgressReporter } from './progress-reporter.js';
import { Resumption } from './resume.js';

export interface LocalPartitionOptions extends AdmissionOptions, EdgeTrafficOptions {
  report(report: PartitionReport): void;
}

/** A partition that runs in this process, with its side of the protocol. See docs/how-processes-agree.md. */
export class LocalPartition {
  readonly admission: GrantAdmission;
  readonly traffic: EdgeTraffic;
  /** Number of messages sent to other processes. */
  dataMessages = 0;
  readonly #externalInput: ExternalInput;
  readonly #resumption = new Resumption();
  readonly #reporter: ProgressReporter;

  constructor(
    readonly partition: Partition,
    readonly plan: PartitionPlan,
    process: ProcessPlan,
    options: LocalPartitionOptions,
  ) {
    const { scheduler } = partition;
    const incoming = process.crossEdges.filter(({ to }) => to === plan);
    const hasPhysicalEdges = incoming.some(({ model }) => model.isPhysical);
    const resumption = this.#resumption;
    const externalInput = new ExternalInput(scheduler, options.timeline, options.isFast, hasPhysicalEdges);
    const traffic = new EdgeTraffic(plan, process, resumption, options);
    const reporter = new ProgressReporter(
      { partition: plan.index, scheduler, traffic, externalInput, resumption },
      (report) => options.report(report),
    );
    const parts = { partition, traffic, externalInput, resumption, reporter };
    this.admission = new GrantAdmission(parts, new Set(incoming.filter(isInstant)), options);
    this.traffic = traffic;
    this.#externalInput = externalInput;
    this.#reporter = reporter;
  }

  /** Whether the partition has handled the stop tag. */
  get hasStopped(): boolean {
    return this.#reporter.hasStopped;
  }

  /** Continues from the state before the restart of the process. */
  resumeFrom(point: ResumePoint): void {
    this.#resumption.begin(point);
    this.traffic.checkpoint?.resumeFrom(point.checkpoint);
  }

  requestFloor(tag: Tag): void {
    this.#externalInput.requestFloor(tag);
    this.partition.wake();
  }

  /** Closes an edge whose sender has handled the stop tag. All messages on it have arrived. */
  closeEdge(edge: CrossEdge): void {
    this.admission.closeEdge(edge);
    this.partition.wake();
  }

  /** Gives up an edge whose sender was removed from the run. */
  abandonEdge(edge: CrossEdge): void {
    this.admission.closeEdge(edge);
    this.traffic.abandon(edge);
    this.#reporter.request();
  }

  /** Records that the receiver of an edge has handled everything up to the tag. */
  credited(edge: number, tag: Tag): void {
    this.traffic.sendWindows.release(edge, tag);
    this.reportCheckpoint();
    this.partition.wake();
  }

  /** Records that a report, and every message sent before it, has been received. */
  confirmed(report: PartitionReport): void {
    this.traffic.confirmed(report);
    this.reportCheckpoint();
  }

  /** Reports the checkpoint if a later one would let a sender drop messages. */
  reportCheckpoint(): void {
    if (!this.traffic.checkpoint?.hasAdvanced()) return;
    this.#reporter.request();
    this.partition.wake();
  }

  /** Records that the stop tag has been handled. */
  stopped(): void {
    this.#reporter.stopped();
  }
}
