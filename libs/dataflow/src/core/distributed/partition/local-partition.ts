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

/** A partition that runs in this process, with its side of the protocol: docs/how-processes-agree.md. */
export class LocalPartition {
  readonly admission: GrantAdmission;
  readonly traffic: EdgeTraffic;
  /** How many messages it has sent to other processes. */
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

  /** Whether the stop tag is handled. */
  get hasStopped(): boolean {
    return this.#reporter.hasStopped;
  }

  /** Continues where the process was before it was restarted. */
  resumeFrom(point: ResumePoint): void {
    this.#resumption.begin(point);
    this.traffic.checkpoint?.resumeFrom(point.checkpoint);
  }

  requestFloor(tag: Tag): void {
    this.#externalInput.requestFloor(tag);
    this.partition.wake();
  }

  /** The sender of an edge has handled the stop tag, and everything that it has sent has come. */
  closeEdge(edge: CrossEdge): void {
    this.admission.closeEdge(edge);
    this.partition.wake();
  }

  /** The sender of an edge was removed from the run. */
  abandonEdge(edge: CrossEdge): void {
    this.admission.closeEdge(edge);
    this.traffic.abandon(edge);
    this.#reporter.request();
  }

  /** The receiver of an edge has handled everything up to the tag. */
  credited(edge: number, tag: Tag): void {
    this.traffic.sendWindows.release(edge, tag);
    this.reportCheckpoint();
    this.partition.wake();
  }

  /** A report, and everything that was sent before it, is received. */
  confirmed(report: PartitionReport): void {
    this.traffic.confirmed(report);
    this.reportCheckpoint();
  }

  /** Reports the checkpoint if a later one is of use to a sender. */
  reportCheckpoint(): void {
    if (!this.traffic.checkpoint?.hasAdvanced()) return;
    this.#reporter.request();
    this.partition.wake();
  }

  /** The stop tag is handled. */
  stopped(): void {
    this.#reporter.stopped();
  }
}
