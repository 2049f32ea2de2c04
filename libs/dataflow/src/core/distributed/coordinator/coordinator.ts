import type { Timer } from '@roost/time';
import type { DataflowError } from '../../errors/dataflow.error.js';
import { GraphVersionError } from '../../errors/graph-version.error.js';
import { MalformedMessageError } from '../../errors/malformed-message.error.js';
import { ProcessesMissingError } from '../../errors/processes-missing.error.js';
import { RemoteError } from '../../errors/remote.error.js';
import { StopUnansweredError } from '../../errors/stop-unanswered.error.js';
import type { DataflowReport, RunStatus } from '../../report.js';
import { exitCodeOf } from '../../run/digests.js';
import { nextMicrostep, type Tag } from '../../time/tag.js';
import type { ProcessPlan } from '../plan.js';
import type { ToCoordinator, ToProcess } from '../wire/messages.js';
import { FailureDetector, type FailureDetectorOptions } from './failure-detection.js';
import { Membership, nodesOf, type RunMember } from './membership.js';
import { ProgressBoard } from './progress-board.js';
import { RunResult } from './run-result.js';
import { StopAgreement, type StopRequested } from './stop-agreement.js';

export interface CoordinatorOptions extends FailureDetectorOptions {
  readonly plan: ProcessPlan;
  readonly isTraced: boolean;
  readonly isFast: boolean;
  /** Planned stop tag, which every process knows from the start. */
  readonly plannedStop: Tag | undefined;
  readonly plannedStatus: RunStatus;
  readonly joinTimeoutMs: number;
  readonly agreeTimeoutMs: number;
  /** Time in ms that processes have to stop when the graph is stopped by force. */
  readonly forceTimeoutMs: number;
  send(process: string, message: ToProcess): void;
  /** Called when the run has ended and the report has been sent to every process. */
  finished(report: DataflowReport): void;
}

/** Lead time in ms for the start message to reach every process, so that all processes start at the same moment. */
const START_LEAD_MS = 20;

/**
 * Starts all processes together, grants tags, negotiates the stop tag with all partitions, and decides how the run
 * reacts to a crash. A run has one coordinator. If it is lost, it is not replaced. See docs/how-processes-agree.md.
 */
export class Coordinator {
  /** Handles processes that are lost, return or are restarted. */
  readonly failures: FailureDetector;
  readonly #members: Membership;
  readonly #progress: ProgressBoard;
  readonly #stop: StopAgreement;
  readonly #result = new RunResult();
  #startedAtMs: number | undefined;
  /** Time limit of the current phase: joining, or a stop by force. */
  #timer: Timer | undefined;
  /** Requests for a stop at a future tag that arrived before the start. */
  readonly #earlyRequests: StopRequested[] = [];
  #error: DataflowError | undefined;
  #report: DataflowReport | undefined;

  constructor(private readonly options: CoordinatorOptions) {
    const { plan, clock, agreeTimeoutMs } = options;
    this.#members = new Membership(plan);
    this.#progress = new ProgressBoard({
      ...options,
      grant: (process, grant) => options.send(process, { kind: 'grant', grant }),
      raiseFloor: (process, partition, tag) => options.send(process, { kind: 'raise-floor', partition, tag }),
    });
    this.#stop = new StopAgreement({
      partitions: plan.partitions.length,
      planned: options.plannedStop,
      plannedStatus: options.plannedStatus,
      clock,
      agreeTimeoutMs,
      propose: (question, isFinal) => this.#sendToAll({ kind: 'stop-proposal', ...question, isFinal }),
      decide: (tag, isFinal) => this.#sendToAll({ kind: 'stop-decision', tag, isFinal }),
      onUnanswered: (late) =>
        this.force(new StopUnansweredError(nodesOf(late.map((index) => plan.partitions[index]!)), agreeTimeoutMs)),
    });
    this.failures = new FailureDetector(this.#members, options, this);
  }

  /** @internal */
  get hasStarted(): boolean {
    return this.#startedAtMs !== undefined;
  }

  /** @internal */
  get hasEnded(): boolean {
    return this.#report !== undefined;
  }

  /** @internal */
  hasStopped(member: RunMember): boolean {
    return this.#result.hasStopped(member);
  }

  /** Waits for all processes to join, up to `joinTimeoutMs`. */
  open(): void {
    if (this.#report || this.#error) return;
    const { clock, joinTimeoutMs } = this.options;
    this.#timer = clock.setTimer(joinTimeoutMs, () => {
      const names = this.#members.in('expected').map(({ name }) => name);
      this.force(new ProcessesMissingError(names, joinTimeoutMs));
    });
  }

  /** @throws MalformedMessageError, ProgressReportError */
  handle(process: string, message: ToCoordinator): void {
    const member = this.#members.get(process);
    if (!member || member.state === 'removed') return;
    if (this.#report) return message.kind === 'join' ? this.#sendResult(process, this.#report) : undefined;
    assertOwn(member, message);
    switch (message.kind) {
      case 'join':
        return this.#join(member, message.version, message.address);
      case 'report':
        this.#progress.report(message.report);
        return this.#checkCompletion();
      case 'stop-request':
        return this.#requestStop(message.tag, message.isFinal, message.by);
      case 'stop-answer':
        this.#stop.answer(message.round, message.partition, message.tag);
        return this.#checkCompletion();
      case 'planned-stop-reached':
        return this.#error ? undefined : this.#stop.plannedStopReached();
      case 'partition-stopped':
        this.#result.add(message.partition, message);
        // A partition that stops before there is a decision has reached the planned stop.
        if (!this.#error) this.#stop.plannedStopReached();
        return this.#finishIfAllStopped();
      case 'failed':
        // A process that fails before the start does not wait for the others.
        if (!this.hasStarted) member.state = 'removed';
        return this.force(new RemoteError(process, message.code, message.message, message.exitCode));
      case 'peer-unreachable':
        return this.failures.suspect(member, message.peer, message.forMs);
    }
  }

  /** Other processes that wait for the report of the run. */
  get joined(): string[] {
    return this.#members
      .in('joined')
      .map(({ name }) => name)
      .filter((name) => name !== this.options.plan.coordinator);
  }

  /** Stops the run by force. Only the first error counts. */
  force(error: DataflowError): void {
    if (this.#report || this.#error) return;
    this.#error = error;
    const { clock, forceTimeoutMs } = this.options;
    this.#cancelTimers();
    this.#sendToAll(forceMessage(error));
    this.#timer = clock.setTimer(forceTimeoutMs, () => this.#finish());
    this.#finishIfAllStopped();
  }

  /** Continues the run without a process. @internal */
  remove(member: RunMember): void {
    member.state = 'removed';
    this.#sendToAll({ kind: 'peer-removed', peer: member.name });
    for (const { index } of member.partitions) {
      this.#progress.remove(index);
      this.#stop.remove(index, this.#progress.notBegun(index));
    }
    this.#checkCompletion();
    this.#finishIfAllStopped();
  }

  /** Sends the result to a process that joins after the run has ended. */
  #sendResult(process: string, report: DataflowReport): void {
    if (this.#error) this.options.send(process, forceMessage(this.#error));
    this.options.send(process, { kind: 'run-ended', report });
  }

  #join(member: RunMember, version: string, address: string): void {
    const { plan } = this.options;
    member.timer?.cancel();
    member.state = 'joined';
    member.address = address;
    if (this.#error) return this.options.send(member.name, forceMessage(this.#error));
    if (version !== plan.version) return this.force(new GraphVersionError(member.name, version, plan.version));
    if (this.hasStarted) return this.#resume(member);
    if (this.#members.in('expected').length > 0) return;
    this.#timer?.cancel();
    this.#startedAtMs = this.options.clock.now() + (this.options.isFast ? 0 : START_LEAD_MS);
    for (const one of this.#members.all) this.#start(one);
    for (const request of this.#earlyRequests.splice(0)) this.#stop.request(request);
  }

  #start({ name, partitions }: RunMember): void {
    const resume = partitions.flatMap(({ index }) => this.#progress.resumePointOf(index) ?? []);
    const { addresses } = this.#members;
    this.options.send(name, { kind: 'start', startedAtMs: this.#startedAtMs!, addresses, resume });
  }

  /** Brings a restarted process up to date, and makes its peers resend the messages that it has lost. */
  #resume(member: RunMember): void {
    const { name, address, partitions } = member;
    const send = (message: ToProcess): void => this.options.send(name, message);
    this.options.logger.warn(`process "${name}" rejoined after a restart and resumes from its checkpoint`);
    this.#start(member);
    for (const other of this.#members.in('joined', 'lost')) {
      if (other !== member) this.options.send(other.name, { kind: 'peer-restarted', peer: name, address });
    }
    for (const other of this.#members.in('removed')) send({ kind: 'peer-removed', peer: other.name });
    for (const { index } of partitions) this.#progress.grantAgain(index);
    this.#stop.repeat(
      (question, isFinal) => send({ kind: 'stop-proposal', ...question, isFinal }),
      (tag, isFinal) => send({ kind: 'stop-decision', tag, isFinal }),
    );
  }

  #requestStop(tag: Tag, isFinal: boolean, by: string): void {
    if (this.#error) return;
    if (this.hasStarted) this.#stop.request({ tag, isFinal, by });
    // No partition has begun, so there is nothing to agree on.
    else if (isFinal) this.#finish();
    else this.#earlyRequests.push({ tag, isFinal, by });
  }

  #checkCompletion(): void {
    if (this.#stop.final || this.#stop.isNegotiating || this.#error || !this.#progress.isComplete) return;
    this.#stop.complete(nextMicrostep(this.#progress.lastTag));
  }

  #sendToAll(message: ToProcess): void {
    for (const { name } of this.#members.in('joined', 'lost')) this.options.send(name, message);
  }

  #finishIfAllStopped(): void {
    if (this.#report || !(this.#stop.final || this.#error)) return;
    // A stop by force does not wait for lost processes.
    const awaited = this.#error ? this.#members.in('joined') : this.#members.in('joined', 'lost', 'expected');
    if (!this.hasStarted || awaited.every((member) => this.hasStopped(member))) this.#finish();
  }

  #cancelTimers(): void {
    this.#timer?.cancel();
    this.#stop.cancel();
    this.failures.cancel();
  }

  #finish(): void {
    if (this.#report) return;
    this.#cancelTimers();
    const report = this.#result.report(this.#stop.final, this.#error, this.#progress.messages);
    this.#report = report;
    this.#sendToAll({ kind: 'run-ended', report });
    this.options.finished({ ...report, error: this.#error });
  }
}

const forceMessage = (error: DataflowError): ToProcess => ({
  kind: 'force',
  code: error.code,
  message: error.message,
  exitCode: exitCodeOf(true, error),
});

/** @throws MalformedMessageError */
function assertOwn({ name, partitions }: RunMember, message: ToCoordinator): void {
  const partition = message.kind === 'report' ? message.report.partition : 'partition' in message && message.partition;
  if (partition === false || partitions.some(({ index }) => index === partition)) return;
  throw new MalformedMessageError(name, `it names partition ${partition}, which that process does not run`);
}
