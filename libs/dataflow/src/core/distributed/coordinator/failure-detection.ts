import type { RoostLogger } from '@roost/kernel';
import { type Clock, formatDuration, type Timer } from '@roost/time';
import type { DataflowError } from '../../errors/dataflow.error.js';
import { LinkLostError } from '../../errors/link-lost.error.js';
import { ProcessLostError } from '../../errors/process-lost.error.js';
import { type Membership, nodesOf, type RunMember } from './membership.js';

export interface FailureDetectorOptions {
  readonly clock: Clock;
  readonly logger: RoostLogger;
  readonly restartTimeoutMs: number;
  /** Delay in ms by which the coordinator may notice later than other processes that a process is unreachable. */
  readonly noticeMs: number;
  /** Whether the coordinator has a connection with the process. */
  isReachable(process: string): boolean;
}

/** The run whose processes are monitored. */
export interface WatchedRun {
  readonly hasStarted: boolean;
  readonly hasEnded: boolean;
  /** Whether all partitions of the member have stopped. */
  hasStopped(member: RunMember): boolean;
  /** Continues the run without the member. */
  remove(member: RunMember): void;
  force(error: DataflowError): void;
}

/**
 * Decides when an unreachable or restarted process counts as crashed, and applies its crash policy. See
 * docs/how-processes-agree.md#a-process-crashes.
 */
export class FailureDetector {
  readonly #suspicions = new Set<Timer>();

  constructor(
    private readonly members: Membership,
    private readonly options: FailureDetectorOptions,
    private readonly run: WatchedRun,
  ) {}

  /** Handles a process that has been unreachable for too long. */
  lost(name: string, why: string): void {
    const member = this.members.get(name);
    if (this.run.hasEnded || member?.state !== 'joined') return;
    // The run has not started, so the process can still rejoin in time.
    if (!this.run.hasStarted) member.state = 'expected';
    // All its partitions have stopped. With `fail` the loss still counts: the process has to wait for the end of the run.
    else if (this.run.hasStopped(member) && member.policy !== 'fail') this.run.remove(member);
    else this.#crashed(member, why);
  }

  /** Handles a process that is reachable again and has kept its memory. */
  returned(name: string): void {
    const member = this.members.get(name);
    if (member?.state !== 'lost' || member.policy === 'fail') return;
    member.timer?.cancel();
    member.state = 'joined';
  }

  /** Handles a process that is back without its memory. @returns whether the run continues with it */
  restarted(name: string): boolean {
    const member = this.members.get(name);
    const { hasEnded, hasStarted } = this.run;
    if (hasEnded || !member || member.state === 'removed') return false;
    member.restarts++;
    if (hasStarted && member.policy !== 'restart') {
      this.lost(name, 'it was restarted and lost its state');
      return false;
    }
    if (hasStarted && member.state === 'joined') this.#awaitRestart(member, 'it was restarted');
    member.state = 'expected';
    return true;
  }

  /**
   * Handles a member's report that it cannot reach a peer. Either the coordinator soon loses the peer too, or the link
   * between the two has failed.
   */
  suspect(member: RunMember, peer: string, forMs: number): void {
    const other = this.members.get(peer);
    if (!other) return;
    const { restarts } = other;
    const timer = this.options.clock.setTimer(this.options.noticeMs, () => {
      this.#suspicions.delete(timer);
      if (member.state !== 'joined' || other.state !== 'joined' || other.restarts !== restarts) return;
      if (this.options.isReachable(peer)) this.run.force(new LinkLostError(member.name, peer, forMs));
      else this.lost(peer, `neither "${member.name}" nor the coordinator can reach it`);
    });
    this.#suspicions.add(timer);
  }

  cancel(): void {
    for (const timer of this.#suspicions) timer.cancel();
    for (const { timer } of this.members.all) timer?.cancel();
  }

  #crashed(member: RunMember, why: string): void {
    const { name, policy, partitions } = member;
    const nodes = nodesOf(partitions);
    member.state = 'lost';
    if (policy === 'fail') return this.run.force(new ProcessLostError(name, nodes, why));
    this.options.logger.warn(
      `process "${name}" (nodes: ${nodes.join(', ')}) is lost: ${why}. The run continues because onCrash is ${policy}`,
    );
    if (policy === 'treatAsDone') this.run.remove(member);
    else this.#awaitRestart(member, why);
  }

  #awaitRestart(member: RunMember, why: string): void {
    const { clock, restartTimeoutMs } = this.options;
    const detail = `${why}, and it did not rejoin within ${formatDuration(restartTimeoutMs)}`;
    member.timer?.cancel();
    member.timer = clock.setTimer(restartTimeoutMs, () =>
      this.run.force(new ProcessLostError(member.name, nodesOf(member.partitions), detail)),
    );
  }
}
