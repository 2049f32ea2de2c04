import type { Timer } from '@roost/time';
import type { DataflowError } from '../../errors/dataflow.error.js';
import { GraphVersionError } from '../../errors/graph-version.error.js';
import { MalformedMessageError } from '../../errors/malformed-message.error.js';
import { ProcessesMissingError } from '../../errors/processes-missing.error.js';
import { RemoteError } from '../../errors/remote.error.js';
import { StopUnansweredError } from '../../errors/stop-unanswered.error.js';
import type { DataflowReport, NodeReport, RunStatus } from '../../report.js';
import { exitCodeOf, graphDigest } from '../../run/digests.js';
import { nextMicrostep, type Tag } from '../../time/tag.js';
import { Absences, type AbsencesOptions } from './failure-detection.js';
import { type Member, Membership, nodesOf } from './membership.js';
import type { ToCoordinator, ToProcess } from '../wire/messages.js';
import type { ProcessPlan } from '../plan.js';
import { ProgressDesk } from './progress-board.js';
import { StopAgreement, type StopRequested } from './stop-agreement.js';

export interface CoordinatorOptions extends AbsencesOptions {
  readonly plan: ProcessPlan;
  readonly isTraced: boolean;
  readonly isFast: boolean;
  /** Every process knows it. */
  readonly plannedStop: Tag | undefined;
  readonly plannedStatus: RunStatus;
  readonly joinTimeoutMs: number;
  readonly agreeTimeoutMs: number;
  /** How long processes may take to end when the graph is stopped by force. */
  readonly forceTimeoutMs: number;
  send(process: string, message: ToProcess): void;
  /** All is over, and everybody has been told. */
  finished(report: DataflowReport): void;
}

/** Time for a message to arrive everywhere, so that all start at the same moment. */
const START_LEAD_MS = 20;

/** Starts all processes together, tells each how far it may go, agrees with them on a stop, and decides what a crash means. */
export class Coordinator {
  /** For who watches the links. */
  readonly absences: Absences;
  readonly #members: Membership;
  readonly #progress: ProgressDesk;
  readonly #stop: StopAgreement;
  /** By partition. */
  readonly #ended = new Map<number, { readonly nodes: Record<string, NodeReport>; readonly sent: number }>();
  #startedAtMs: number | undefined;
  /** For the phase that it is in: joining, or a stop by force. */
  #timer: Timer | undefined;
  /** Stops in the future that were asked for before the start. */
  readonly #early: StopRequested[] = [];
  #error: DataflowError | undefined;
  #report: DataflowReport | undefined;

  constructor(private readonly options: CoordinatorOptions) {
    const { plan, clock, agreeTimeoutMs } = options;
    this.#members = new Membership(plan);
    this.#progress = new ProgressDesk({
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
      ask: (question, isFinal) => this.#tellAll({ kind: 'stop-ask', ...question, isFinal }),
      tell: (tag, isFinal) => this.#tellAll({ kind: 'stop', tag, isFinal }),
      unanswered: (late) =>
        this.force(new StopUnansweredError(nodesOf(late.map((index) => plan.partitions[index]!)), agreeTimeoutMs)),
    });
    this.absences = new Absences(this.#members, options, this);
  }

  /** @internal */
  get hasStarted(): boolean {
    return this.#startedAtMs !== undefined;
  }

  /** @internal */
  get isOver(): boolean {
    return this.#report !== undefined;
  }

  /** @internal */
  hasEnded({ partitions }: Member): boolean {
    return partitions.every(({ index }) => this.#ended.has(index));
  }

  /** Waits for everybody, but not for ever. */
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
    if (!member || member.state === 'gone') return;
    if (this.#report) return message.kind === 'hello' ? this.#turnAway(process, this.#report) : undefined;
    assertOwn(member, message);
    switch (message.kind) {
      case 'hello':
        return this.#joined(member, message.version, message.address);
      case 'report':
        this.#progress.report(message.report);
        return this.#checkCompletion();
      case 'stop-request':
        return this.#stopRequested(message.tag, message.isFinal, message.by);
      case 'stop-answer':
        this.#stop.answer(message.round, message.partition, message.tag);
        return this.#checkCompletion();
      case 'plan-reached':
        return this.#error ? undefined : this.#stop.planReached();
      case 'ended':
        this.#ended.set(message.partition, message);
        // Without having been told where: it has got to the plan.
        if (!this.#error) this.#stop.planReached();
        return this.#finishIfEnded();
      case 'failed':
        // Who fails before the start does not wait for the others.
        if (!this.hasStarted) member.state = 'gone';
        return this.force(new RemoteError(process, message.code, message.message, message.exitCode));
      case 'unreachable':
        return this.absences.suspect(member, message.peer, message.forMs);
    }
  }

  /** Who has to hear how it ended. */
  get joined(): string[] {
    return this.#members
      .in('joined')
      .map(({ name }) => name)
      .filter((name) => name !== this.options.plan.coordinator);
  }

  /** Stops everything at once. The first error counts. */
  force(error: DataflowError): void {
    if (this.#report || this.#error) return;
    this.#error = error;
    const { clock, forceTimeoutMs } = this.options;
    this.#cancelTimers();
    this.#tellAll(this.#forceMessage(error));
    this.#timer = clock.setTimer(forceTimeoutMs, () => this.#finish());
    this.#finishIfEnded();
  }

  /** It comes when all is over. */
  #turnAway(process: string, report: DataflowReport): void {
    if (this.#error) this.options.send(process, this.#forceMessage(this.#error));
    this.options.send(process, { kind: 'end', report });
  }

  #forceMessage(error: DataflowError): ToProcess {
    return { kind: 'force', code: error.code, message: error.message, exitCode: exitCodeOf(true, error) };
  }

  #joined(member: Member, version: string, address: string): void {
    const { plan } = this.options;
    member.timer?.cancel();
    member.state = 'joined';
    member.address = address;
    if (this.#error) return this.options.send(member.name, this.#forceMessage(this.#error));
    if (version !== plan.version) return this.force(new GraphVersionError(member.name, version, plan.version));
    if (this.hasStarted) return this.#resume(member);
    if (this.#members.in('expected').length > 0) return;
    this.#timer?.cancel();
    this.#startedAtMs = this.options.clock.now() + (this.options.isFast ? 0 : START_LEAD_MS);
    for (const one of this.#members.all) this.#start(one);
    for (const request of this.#early.splice(0)) this.#stop.request(request);
  }

  #start({ name, partitions }: Member): void {
    const resume = partitions.flatMap(({ index }) => this.#progress.resumeOf(index) ?? []);
    const { addresses } = this.#members;
    this.options.send(name, { kind: 'start', startedAtMs: this.#startedAtMs!, addresses, resume });
  }

  #resume(member: Member): void {
    const { name, address, partitions } = member;
    const tell = (message: ToProcess): void => this.options.send(name, message);
    this.options.logger.warn(`process "${name}" is back, and goes on from what is safe`);
    this.#start(member);
    for (const other of this.#members.in('joined', 'lost')) {
      if (other !== member) this.options.send(other.name, { kind: 'peer-restarted', peer: name, address });
    }
    for (const other of this.#members.in('gone')) tell({ kind: 'peer-gone', peer: other.name });
    for (const { index } of partitions) this.#progress.grantAgain(index);
    this.#stop.repeat(
      (question, isFinal) => tell({ kind: 'stop-ask', ...question, isFinal }),
      (tag, isFinal) => tell({ kind: 'stop', tag, isFinal }),
    );
  }

  /** The others go on without a process. @internal */
  leave(member: Member): void {
    member.state = 'gone';
    this.#tellAll({ kind: 'peer-gone', peer: member.name });
    for (const { index } of member.partitions) {
      this.#progress.remove(index);
      this.#stop.leave(index, this.#progress.notBegun(index));
    }
    this.#checkCompletion();
    this.#finishIfEnded();
  }

  #stopRequested(tag: Tag, isFinal: boolean, by: string): void {
    if (this.#error) return;
    if (this.hasStarted) this.#stop.request({ tag, isFinal, by });
    // Nothing has begun, so that nothing has to be agreed on.
    else if (isFinal) this.#finish();
    else this.#early.push({ tag, isFinal, by });
  }

  #checkCompletion(): void {
    if (this.#stop.final || this.#stop.isAsking || this.#error || !this.#progress.isComplete) return;
    this.#stop.complete(nextMicrostep(this.#progress.last));
  }

  #tellAll(message: ToProcess): void {
    for (const { name } of this.#members.in('joined', 'lost')) this.options.send(name, message);
  }

  #finishIfEnded(): void {
    if (this.#report || !(this.#stop.final || this.#error)) return;
    // Whoever is lost is not waited for when all is lost.
    const waitedFor = this.#error ? this.#members.in('joined') : this.#members.in('joined', 'lost', 'expected');
    if (!this.hasStarted || waitedFor.every((member) => this.hasEnded(member))) this.#finish();
  }

  #cancelTimers(): void {
    this.#timer?.cancel();
    this.#stop.cancel();
    this.absences.cancel();
  }

  #finish(): void {
    if (this.#report) return;
    this.#cancelTimers();
    const error = this.#error;
    const { final } = this.#stop;
    const ended = [...this.#ended.values()];
    const nodes = Object.assign({}, ...ended.map((one) => one.nodes)) as Record<string, NodeReport>;
    const report: DataflowReport = {
      status: error ? 'forced' : (final?.status ?? 'stopped'),
      exitCode: exitCodeOf(error !== undefined, error),
      stopTag: error ? undefined : final?.tag,
      digest: graphDigest(nodes),
      nodes,
      controlMessages: this.#progress.messages,
      dataMessages: ended.reduce((sum, { sent }) => sum + sent, 0),
      error: undefined,
    };
    this.#report = report;
    this.#tellAll({ kind: 'end', report });
    this.options.finished({ ...report, error });
  }
}

/** @throws MalformedMessageError */
function assertOwn({ name, partitions }: Member, message: ToCoordinator): void {
  const partition = message.kind === 'report' ? message.report.partition : 'partition' in message && message.partition;
  if (partition === false || partitions.some(({ index }) => index === partition)) return;
  throw new MalformedMessageError(name, `it is about partition ${partition}, which is not in that process`);
}
