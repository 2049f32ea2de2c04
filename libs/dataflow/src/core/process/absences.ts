import type { RoostLogger } from '@roost/kernel';
import { type Clock, formatDuration, type Timer } from '@roost/time';
import type { DataflowError } from '../errors/dataflow.error.js';
import { LinkLostError } from '../errors/link-lost.error.js';
import { ProcessLostError } from '../errors/process-lost.error.js';
import { type Member, type Membership, nodesOf } from './membership.js';

export interface AbsencesOptions {
  readonly clock: Clock;
  readonly logger: RoostLogger;
  readonly restartTimeoutMs: number;
  /** How much later than others it may notice that a process is out of reach. */
  readonly noticeMs: number;
  /** Whether there is a connection with it. */
  isReachable(process: string): boolean;
}

/** What depends on how far the run is. */
export interface RunPhase {
  readonly hasStarted: boolean;
  readonly isOver: boolean;
  hasEnded(member: Member): boolean;
  /** The others go on without it. */
  leave(member: Member): void;
  force(error: DataflowError): void;
}

/** Decides what it means that a process is out of reach, or was restarted. */
export class Absences {
  readonly #suspicions = new Set<Timer>();

  constructor(
    private readonly members: Membership,
    private readonly options: AbsencesOptions,
    private readonly run: RunPhase,
  ) {}

  /** A process was out of reach for longer than it may be. */
  lost(name: string, why: string): void {
    const member = this.members.get(name);
    if (this.run.isOver || member?.state !== 'joined') return;
    // Nothing has begun: it can still come back in time.
    if (!this.run.hasStarted) member.state = 'expected';
    // With another policy the run does not need it any more. It was to wait for the end like all others.
    else if (this.run.hasEnded(member) && member.policy !== 'fail') this.run.leave(member);
    else this.#crashed(member, why);
  }

  /** A process is in reach again, as it was. */
  back(name: string): void {
    const member = this.members.get(name);
    if (member?.state !== 'lost' || member.policy === 'fail') return;
    member.timer?.cancel();
    member.state = 'joined';
  }

  /** A process is back without its memory. @returns whether the run goes on with it */
  restarted(name: string): boolean {
    const member = this.members.get(name);
    const { isOver, hasStarted } = this.run;
    if (isOver || !member || member.state === 'gone') return false;
    member.restarts++;
    if (hasStarted && member.policy !== 'restart') {
      this.lost(name, 'it was restarted and has lost its state');
      return false;
    }
    if (hasStarted && member.state === 'joined') this.#awaitRestart(member, 'it was restarted');
    member.state = 'expected';
    return true;
  }

  /** A process does not reach another one. If that one is lost, this will soon be seen from here as well. */
  suspect(member: Member, peer: string, forMs: number): void {
    const other = this.members.get(peer);
    if (!other) return;
    const { restarts } = other;
    const timer = this.options.clock.setTimer(this.options.noticeMs, () => {
      this.#suspicions.delete(timer);
      if (member.state !== 'joined' || other.state !== 'joined' || other.restarts !== restarts) return;
      if (this.options.isReachable(peer)) this.run.force(new LinkLostError(member.name, peer, forMs));
      else this.lost(peer, `neither "${member.name}" nor the coordinator reaches it`);
    });
    this.#suspicions.add(timer);
  }

  cancel(): void {
    for (const timer of this.#suspicions) timer.cancel();
    for (const { timer } of this.members.all) timer?.cancel();
  }

  #crashed(member: Member, why: string): void {
    const { name, policy, partitions } = member;
    const nodes = nodesOf(partitions);
    member.state = 'lost';
    if (policy === 'fail') return this.run.force(new ProcessLostError(name, nodes, why));
    this.options.logger.warn(
      `process "${name}" (nodes: ${nodes.join(', ')}) is lost: ${why}. The run goes on: onCrash is ${policy}`,
    );
    if (policy === 'treatAsDone') this.run.leave(member);
    else this.#awaitRestart(member, why);
  }

  #awaitRestart(member: Member, why: string): void {
    const { clock, restartTimeoutMs } = this.options;
    const detail = `${why}, and it was not back within ${formatDuration(restartTimeoutMs)}`;
    member.timer?.cancel();
    member.timer = clock.setTimer(restartTimeoutMs, () =>
      this.run.force(new ProcessLostError(member.name, nodesOf(member.partitions), detail)),
    );
  }
}
