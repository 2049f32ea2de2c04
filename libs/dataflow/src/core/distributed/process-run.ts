import { deferred } from '@roost/kernel';
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
import { COORDINATOR_GRACE_MS, createCoordinator, createDataPlane } from './composition.js';
import type { Coordinator } from './coordinator/coordinator.js';
import { Links } from './links.js';
import { MessageRouter, type StartMessage } from './message-router.js';
import type { ResolvedProcessOptions } from './options.js';
import type { DataPlane } from './partition/data-plane.js';
import { isFinalRequest, PendingStops } from './pending-stops.js';
import type { ProcessPlan } from './plan.js';
import type { ToCoordinator } from './wire/messages.js';

/** Maximum length of an error message that is sent to the coordinator. */
const MAX_MESSAGE = 10_000;

/**
 * One process of a graph that is placed in several processes: its partitions, its links and, in one process, the
 * coordinator. See docs/how-processes-agree.md.
 */
export class ProcessRun implements DataflowRun {
  readonly #name: string;
  readonly #coordinator: Coordinator | undefined;
  readonly #links: Links;
  readonly #data: DataPlane;
  readonly #router: MessageRouter;
  readonly #timeline: Timeline;
  readonly #arrivals: Arrival[] = [];
  readonly #stops = new PendingStops();
  readonly #abort = new AbortController();
  readonly #ended = deferred<DataflowReport>();
  /** Messages to the coordinator that wait for the links to open. */
  #unsent: ToCoordinator[] | undefined = [];
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
    const settings = { plan, options, dataflow };
    this.#name = options.process;
    this.#timeline = new Timeline(dataflow.clock);
    this.#links = new Links(plan, options, dataflow, {
      onMessage: (from, message) => this.#router.receive(from, message),
      onLost: (peer, why) => this.#lost(peer, why),
      onReturned: (peer) => this.#coordinator?.failures.returned(peer),
      onRestarted: (peer) => this.#peerRestarted(peer),
      onFailed: (error) => void this.force(error),
    });
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
    if (plan.coordinator === this.#name) this.#coordinator = this.#createCoordinator();
    this.#router = new MessageRouter({
      data: this.#data,
      links: this.#links,
      stops: this.#stops,
      coordinator: this.#coordinator,
      coordinatorName: plan.coordinator,
      hasStarted: () => this.#hasStarted,
      start: (message) => this.#start(message),
      force: (error) => void this.force(error),
      end: (report) => this.#end(report),
    });
  }

  async run(): Promise<DataflowReport> {
    this.#join().catch((error: unknown) => {
      void this.force(error instanceof DataflowError ? error : new LinkFailedError(this.#name, error));
    });
    const report = await this.#ended.promise;
    this.#stops.decided(report.stopTag ?? START, true);
    await this.#forcing;
    this.#timer?.cancel();
    if (this.#coordinator) await this.#links.close(this.#coordinator.joined, this.options.crashAfterMs);
    else await this.#links.close([this.plan.coordinator], COORDINATOR_GRACE_MS);
    return { ...report, error: this.#error };
  }

  requestStop(request: StopRequest): Promise<StopGrant> {
    const asked = this.#request(request, tagOutside(this.#data.tag, this.#timeline, this.dataflow.fast, request));
    const isAlone = !this.#coordinator && !this.#links.isUp(this.plan.coordinator);
    // Nothing has started here, and there is no coordinator to ask.
    if (!this.#hasStarted && isAlone && isFinalRequest(request)) this.#end(this.#reportAlone('stopped'));
    return this.#stops.add(asked, request);
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
    const stopTag = this.#report ? this.#report.stopTag : this.#stops.final;
    return {
      version: this.plan.graph.version,
      seed: this.dataflow.seed,
      startedAtMs: this.#timeline.startedAtMs,
      arrivals: [...this.#arrivals],
      ...(stopTag && { stopTag, status: this.#report?.status ?? 'stopped' }),
    };
  }

  #createCoordinator(): Coordinator {
    const { plan, options, dataflow } = this;
    return createCoordinator(
      { plan, options, dataflow },
      {
        send: (process, message) => {
          if (process === this.#name) this.#router.receiveFromCoordinator(message);
          else this.#links.send(process, message);
        },
        isReachable: (process) => process === this.#name || this.#links.isUp(process),
        finished: (report) => {
          this.#error ??= report.error;
          this.#end(report);
        },
      },
    );
  }

  /** Ends the run. Only the first report counts. */
  #end(report: DataflowReport): void {
    this.#report ??= report;
    this.#ended.resolve(this.#report);
  }

  /** Opens the links and joins the run. */
  async #join(): Promise<void> {
    const { joinTimeoutMs, listening } = this.options;
    const address = await this.#links.open();
    // The run ended in the meantime.
    if (address === undefined || this.#report) return;
    listening?.(address);
    if (this.#coordinator) {
      this.#coordinator.open();
    } else if (!this.#error) {
      const { coordinator } = this.plan;
      // The coordinator reports missing processes, unless it is missing itself.
      this.#timer = this.dataflow.clock.setTimer(joinTimeoutMs + COORDINATOR_GRACE_MS, () => {
        void this.force(new ProcessesMissingError([coordinator], joinTimeoutMs));
      });
    }
    const unsent = this.#unsent ?? [];
    this.#unsent = undefined;
    this.#toCoordinator({ kind: 'join', version: this.plan.version, address });
    for (const message of unsent) this.#toCoordinator(message);
  }

  #start({ startedAtMs, addresses, resume }: StartMessage): void {
    const { replay } = this.dataflow;
    if (this.#hasStarted || this.#error) return;
    this.#hasStarted = true;
    this.#timer?.cancel();
    if (replay) this.#timeline.startAgain(replay.startedAtMs);
    else this.#timeline.start(startedAtMs);
    for (const [peer, address] of Object.entries(addresses)) this.#links.connect(peer, address);
    this.#data.start(resume);
  }

  /** @returns the tag that the request asks for, as far as this process can tell */
  #request(request: StopRequest, from: Tag): Tag {
    const tag = proposalOf(request, from);
    this.#toCoordinator({ kind: 'stop-request', tag, isFinal: isFinalRequest(request), by: this.#name });
    return tag;
  }

  async #force(error: DataflowError): Promise<void> {
    const { clock, forceTimeoutMs } = this.dataflow;
    const message = error.message.slice(0, MAX_MESSAGE);
    this.#timer?.cancel();
    // The coordinator may no longer be able to send the report of the run.
    this.#timer = clock.setTimer(forceTimeoutMs + COORDINATOR_GRACE_MS, () => this.#end(this.#reportAlone('forced')));
    if (this.#coordinator) this.#coordinator.force(error);
    else this.#toCoordinator({ kind: 'failed', code: error.code, message, exitCode: exitCodeOf(true, error) });
    await forceWithin(this.dataflow, this.#data.partitions, this.#abort);
    const awaitsReport = this.#hasStarted ? !(error instanceof CoordinatorLostError) : error instanceof RemoteError;
    if (!awaitsReport) this.#end(this.#reportAlone('forced'));
  }

  /** Builds the report of a process that cannot get one from the coordinator. */
  #reportAlone(status: RunStatus): DataflowReport {
    const nodes = this.#data.report();
    const exitCode = exitCodeOf(status === 'forced', this.#error);
    const counts = { controlMessages: 0, dataMessages: 0 };
    return { status, exitCode, stopTag: undefined, digest: graphDigest(nodes), nodes, ...counts, error: this.#error };
  }

  #peerRestarted(peer: string): void {
    if (peer === this.plan.coordinator) return void this.force(new CoordinatorLostError(peer, 'it was restarted'));
    if (this.#coordinator && !this.#coordinator.failures.restarted(peer)) return;
    this.#links.reset(peer);
    if (!this.#coordinator) this.#data.peerRestarted(peer);
  }

  #lost(peer: string, why: string): void {
    if (this.#coordinator) return this.#coordinator.failures.lost(peer, why);
    if (peer === this.plan.coordinator) return void this.force(new CoordinatorLostError(peer, why));
    this.#toCoordinator({ kind: 'peer-unreachable', peer, forMs: this.options.crashAfterMs });
  }

  #toCoordinator(message: ToCoordinator): void {
    if (this.#coordinator) this.#coordinator.handle(this.#name, message);
    else if (this.#unsent) this.#unsent.push(message);
    else this.#links.send(this.plan.coordinator, message);
  }
}
