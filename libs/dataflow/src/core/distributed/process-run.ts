import type { Timer } from '@roost/time';
import type { Arrival } from '../engine/scheduler.js';
import { Timeline } from '../engine/timeline.js';
import { CoordinatorLostError } from '../errors/coordinator-lost.error.js';
import { DataflowError } from '../errors/dataflow.error.js';
import { LinkFailedError } from '../errors/link-failed.error.js';
import { ProcessesMissingError } from '../errors/processes-missing.error.js';
import { RemoteError } from '../errors/remote.error.js';
import type { NodeModel } from '../graph/model.js';
import type { StopRequest } from '../node/context.js';
import type { DataflowReport, RunStatus } from '../report.js';
import type { DataflowRun, StopGrant } from '../run/dataflow-run.js';
import { describeGraph, type GraphDescription } from '../run/describe.js';
import { exitCodeOf, graphDigest } from '../run/digests.js';
import { forceWithin } from '../run/force.js';
import type { ResolvedDataflowOptions } from '../run/options.js';
import type { Recording } from '../run/recording.js';
import { proposalOf, tagOutside } from '../run/stop-request.js';
import { START, type Tag } from '../time/tag.js';
import type { Coordinator } from './coordinator/coordinator.js';
import type { DataPlane } from './partition/data-plane.js';
import { Links } from './links.js';
import type { Message, ToCoordinator, ToProcess } from './wire/messages.js';
import type { ResolvedProcessOptions } from './options.js';
import type { ProcessPlan } from './plan.js';
import { createCoordinator, createDataPlane, FORCE_MARGIN_MS } from './composition.js';
import { isFinalRequest, StopGrants } from './pending-stops.js';

/** Longer reasons are not for people. */
const MAX_MESSAGE = 10_000;

/** One process of a graph that is placed over several: its partitions, its links and, in one of them, the coordinator. */
export class ProcessRun implements DataflowRun {
  readonly #name: string;
  readonly #coordinator: Coordinator | undefined;
  readonly #links: Links;
  readonly #data: DataPlane;
  readonly #timeline: Timeline;
  readonly #arrivals: Arrival[] = [];
  readonly #grants = new StopGrants();
  readonly #abort = new AbortController();
  readonly #ended: Promise<DataflowReport>;
  #end!: (report: DataflowReport) => void;
  /** What is to be said to the coordinator once there are links. */
  #unsaid: ToCoordinator[] | undefined = [];
  #hasStarted = false;
  #timer: Timer | undefined;
  #report: DataflowReport | undefined;
  #error: DataflowError | undefined;
  #forcing: Promise<void> | undefined;

  constructor(
    private readonly plan: ProcessPlan,
    private readonly options: ResolvedProcessOptions,
    private readonly dataflow: ResolvedDataflowOptions,
    instanceOf: (node: NodeModel) => object,
  ) {
    this.#name = options.process;
    this.#timeline = new Timeline(dataflow.clock);
    this.#ended = new Promise((resolve) => {
      this.#end = (report) => resolve((this.#report ??= report));
    });
    this.#links = new Links(plan, options, dataflow, {
      message: (from, message) => this.#message(from, message),
      lost: (peer, why) => this.#lost(peer, why),
      back: (peer) => this.#coordinator?.absences.back(peer),
      restarted: (peer) => this.#peerRestarted(peer),
      failed: (error) => void this.force(error),
    });
    const settings = { plan, options, dataflow };
    this.#data = createDataPlane(settings, {
      instanceOf,
      timeline: this.#timeline,
      signal: this.#abort.signal,
      requestStop: (request, from) => void this.#request(request, from),
      arrived: (arrival) => {
        if (dataflow.record) this.#arrivals.push(arrival);
      },
      failed: (error) => void this.force(error),
      toPeer: (peer, bytes) => this.#links.send(peer, bytes),
      toCoordinator: (message) => this.#toCoordinator(message),
      received: (peers) => this.#links.received(peers),
    });
    if (plan.coordinator !== this.#name) return;
    this.#coordinator = createCoordinator(settings, {
      send: (process, message) => {
        if (process === this.#name) this.#told(message);
        else this.#links.send(process, message);
      },
      isReachable: (process) => process === this.#name || this.#links.isUp(process),
      finished: (report) => {
        this.#error ??= report.error;
        this.#end(report);
      },
    });
  }

  async run(): Promise<DataflowReport> {
    this.#join().catch((error: unknown) => {
      void this.force(error instanceof DataflowError ? error : new LinkFailedError(this.#name, error));
    });
    const report = await this.#ended;
    this.#grants.ended(report.stopTag ?? START);
    await this.#forcing;
    this.#timer?.cancel();
    if (this.#coordinator) await this.#links.close(this.#coordinator.joined, this.options.crashAfterMs);
    else await this.#links.close([this.plan.coordinator], FORCE_MARGIN_MS);
    return { ...report, error: this.#error };
  }

  requestStop(request: StopRequest): Promise<StopGrant> {
    const asked = this.#request(request, tagOutside(this.#data.tag, this.#timeline, this.dataflow.fast, request));
    const isAlone = !this.#coordinator && !this.#links.isUp(this.plan.coordinator);
    // Nothing has begun here, and nobody is there to be told.
    if (!this.#hasStarted && isAlone && isFinalRequest(request)) this.#end(this.#reportAlone('stopped'));
    return this.#grants.ask(asked, request);
  }

  force(error: DataflowError): Promise<void> {
    if (this.#report) return Promise.resolve();
    this.#error ??= error;
    this.#forcing ??= this.#force(error);
    return this.#forcing;
  }

  describe(): GraphDescription {
    const { graph, partitions } = this.plan;
    const description = describeGraph(graph, this.#data.partitions, this.dataflow.lagWarningMs, this.dataflow.fast);
    const processOf = new Map(partitions.flatMap(({ process, nodes }) => nodes.map(({ name }) => [name, process])));
    return {
      ...description,
      nodes: description.nodes.map((node) => ({ ...node, process: processOf.get(node.name)! })),
    };
  }

  recording(): Recording {
    const stopTag = this.#report ? this.#report.stopTag : this.#grants.final;
    return {
      version: this.plan.graph.version,
      seed: this.dataflow.seed,
      startedAtMs: this.#timeline.startedAtMs,
      arrivals: [...this.#arrivals],
      ...(stopTag && { stopTag, status: this.#report?.status ?? 'stopped' }),
    };
  }

  /** Opens the links and waits for the others. */
  async #join(): Promise<void> {
    const { joinTimeoutMs, listening } = this.options;
    const address = await this.#links.open();
    // Ended in the meantime.
    if (address === undefined || this.#report) return;
    listening?.(address);
    if (this.#coordinator) {
      this.#coordinator.open();
    } else if (!this.#error) {
      const { coordinator } = this.plan;
      // The coordinator names who is missing; this is for when it is itself.
      this.#timer = this.dataflow.clock.setTimer(joinTimeoutMs + FORCE_MARGIN_MS, () => {
        void this.force(new ProcessesMissingError([coordinator], joinTimeoutMs));
      });
    }
    const unsaid = this.#unsaid ?? [];
    this.#unsaid = undefined;
    this.#toCoordinator({ kind: 'hello', version: this.plan.version, address });
    for (const message of unsaid) this.#toCoordinator(message);
  }

  #message(from: string, message: Message): void {
    switch (message.kind) {
      case 'data':
        // What comes before the start was sent to an earlier life, and comes again.
        if (this.#hasStarted) this.#data.data(from, message.edge, message.tag, message.payload);
        return;
      case 'credit':
        if (this.#hasStarted) this.#data.credit(from, message.edge, message.tag);
        return;
      case 'last':
        if (this.#hasStarted) this.#data.last(from, message.edge);
        return;
      case 'start':
      case 'grant':
      case 'raise-floor':
      case 'stop-ask':
      case 'stop':
      case 'force':
      case 'peer-restarted':
      case 'peer-gone':
      case 'end':
        if (from === this.plan.coordinator) this.#told(message);
        return;
      default:
        this.#coordinator?.handle(from, message);
    }
  }

  /** By the coordinator. */
  #told(message: ToProcess): void {
    const data = this.#data;
    if (message.kind === 'start') return this.#start(message);
    if (message.kind === 'end') return this.#end(message.report);
    if (message.kind === 'force') {
      const { code, message: text, exitCode } = message;
      return void this.force(new RemoteError(this.plan.coordinator, code, text, exitCode));
    }
    switch (message.kind) {
      case 'grant':
        return data.grant(message.grant);
      case 'raise-floor':
        return data.raiseFloor(message.partition, message.tag);
      case 'stop-ask':
        return data.askStop(message.round, message.tag, message.isFinal);
      case 'stop':
        data.stopAt(message.tag, message.isFinal);
        return this.#grants.told(message.tag, message.isFinal);
      case 'peer-restarted':
        this.#links.meet(message.peer, message.address);
        // The coordinator had to tell it first where to go on.
        if (this.#coordinator) data.peerRestarted(message.peer);
        return;
      case 'peer-gone':
        data.peerGone(message.peer);
        return this.#links.part(message.peer);
    }
  }

  #start({ startedAtMs, addresses, resume }: Extract<ToProcess, { kind: 'start' }>): void {
    const { replay } = this.dataflow;
    if (this.#hasStarted || this.#error) return;
    this.#hasStarted = true;
    this.#timer?.cancel();
    if (replay) this.#timeline.startAgain(replay.startedAtMs);
    else this.#timeline.start(startedAtMs);
    for (const [peer, address] of Object.entries(addresses)) this.#links.meet(peer, address);
    this.#data.start(resume);
  }

  /** @returns the tag that it comes to, as far as this process knows */
  #request(request: StopRequest, from: Tag): Tag {
    const tag = proposalOf(request, from);
    this.#toCoordinator({ kind: 'stop-request', tag, isFinal: isFinalRequest(request), by: this.#name });
    return tag;
  }

  async #force(error: DataflowError): Promise<void> {
    const { clock, forceTimeoutMs } = this.dataflow;
    const message = error.message.slice(0, MAX_MESSAGE);
    this.#timer?.cancel();
    // If the coordinator cannot say how it ended.
    this.#timer = clock.setTimer(forceTimeoutMs + FORCE_MARGIN_MS, () => this.#end(this.#reportAlone('forced')));
    if (this.#coordinator) this.#coordinator.force(error);
    else this.#toCoordinator({ kind: 'failed', code: error.code, message, exitCode: exitCodeOf(true, error) });
    await forceWithin(this.dataflow, this.#data.partitions, this.#abort);
    const isToldTheEnd = this.#hasStarted ? !(error instanceof CoordinatorLostError) : error instanceof RemoteError;
    if (!isToldTheEnd) this.#end(this.#reportAlone('forced'));
  }

  /** When there is no coordinator to say how the run ended. */
  #reportAlone(status: RunStatus): DataflowReport {
    const nodes = this.#data.report();
    const exitCode = exitCodeOf(status === 'forced', this.#error);
    const counts = { controlMessages: 0, dataMessages: 0 };
    return { status, exitCode, stopTag: undefined, digest: graphDigest(nodes), nodes, ...counts, error: this.#error };
  }

  #peerRestarted(peer: string): void {
    if (peer === this.plan.coordinator) return void this.force(new CoordinatorLostError(peer, 'it was restarted'));
    if (this.#coordinator && !this.#coordinator.absences.restarted(peer)) return;
    this.#links.reset(peer);
    if (!this.#coordinator) this.#data.peerRestarted(peer);
  }

  #lost(peer: string, why: string): void {
    if (this.#coordinator) return this.#coordinator.absences.lost(peer, why);
    if (peer === this.plan.coordinator) return void this.force(new CoordinatorLostError(peer, why));
    this.#toCoordinator({ kind: 'unreachable', peer, forMs: this.options.crashAfterMs });
  }

  #toCoordinator(message: ToCoordinator): void {
    if (this.#coordinator) this.#coordinator.handle(this.#name, message);
    else if (this.#unsaid) this.#unsaid.push(message);
    else this.#links.send(this.plan.coordinator, message);
  }
}
