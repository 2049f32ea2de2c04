import type { Clock, Timer } from '@roost/time';
import { type StopMessage, StopNegotiation, type StopQuestion } from '../../progress/stop-negotiation.js';
import type { RunStatus } from '../../report.js';
import { earlierOf, FOREVER, isSame, type Tag } from '../../time/tag.js';

export interface StopAgreementOptions {
  readonly partitions: number;
  /** Planned stop tag. The run stops there at the latest. */
  readonly planned: Tag | undefined;
  /** Status of a run that reaches the planned stop tag. */
  readonly plannedStatus: RunStatus;
  readonly clock: Clock;
  readonly agreeTimeoutMs: number;
  /** Proposes a stop tag to all processes. */
  propose(question: StopQuestion, isFinal: boolean): void;
  /** Sends the decision to all processes: a final stop, or a plan that the run may not reach. */
  decide(tag: Tag, isFinal: boolean): void;
  /** Called with the partitions that have not answered in time. */
  onUnanswered(partitions: readonly number[]): void;
}

export interface StopRequested {
  readonly tag: Tag;
  readonly isFinal: boolean;
  readonly by: string;
}

/**
 * Agrees on the tag at which the whole graph stops. A stop is either final, and every partition proceeds to it now, or
 * a plan: a future tag that the run may not reach because it completes earlier. The earliest plan counts. See
 * docs/how-processes-agree.md#agreement-on-a-stop-tag.
 */
export class StopAgreement {
  readonly #negotiation: StopNegotiation;
  #final: { readonly tag: Tag; readonly status: RunStatus } | undefined;
  /** Proposal of the current round. */
  #proposal: { readonly question: StopQuestion; readonly isFinal: boolean } | undefined;
  /** A request that arrived during the current round and does not join it. */
  #next: StopRequested | undefined;
  #timer: Timer | undefined;

  constructor(private readonly options: StopAgreementOptions) {
    this.#negotiation = new StopNegotiation(options.partitions, options.planned ?? FOREVER);
  }

  /** The final stop. Never changes once it is set. */
  get final(): { readonly tag: Tag; readonly status: RunStatus } | undefined {
    return this.#final;
  }

  get isNegotiating(): boolean {
    return this.#proposal !== undefined;
  }

  request(request: StopRequested): void {
    const { tag, isFinal, by } = request;
    if (this.#final) return this.options.decide(this.#final.tag, true);
    if (this.#proposal) return this.#requestDuringRound(this.#proposal.isFinal, request);
    const message = this.#negotiation.request(tag, by);
    if (!message) {
      // No partition goes beyond the plan, so no round is needed.
      const { stopTag } = this.#negotiation;
      return isFinal ? this.#stopAt(stopTag, 'stopped') : this.options.decide(stopTag, false);
    }
    if ('grant' in message) return this.#agreed(message.grant, isFinal);
    this.#proposal = { question: message.ask, isFinal };
    const { clock, agreeTimeoutMs } = this.options;
    this.#timer = clock.setTimer(agreeTimeoutMs, () => this.options.onUnanswered(this.#negotiation.waitingFor));
    this.options.propose(message.ask, isFinal);
  }

  answer(round: number, partition: number, tag: Tag): void {
    this.#settle(this.#negotiation.answer(round, partition, tag));
  }

  /** Removes a partition from the agreement. @param notBegun the first tag that it has not begun */
  remove(partition: number, notBegun: Tag): void {
    this.#settle(this.#negotiation.leave(partition, notBegun));
  }

  /** Sends the decision and the open proposal again, to a restarted process. */
  repeat(propose: StopAgreementOptions['propose'], decide: StopAgreementOptions['decide']): void {
    const stopTag = this.#final?.tag ?? this.#negotiation.stopTag;
    if (!isSame(stopTag, FOREVER)) decide(stopTag, this.#final !== undefined);
    if (this.#proposal) propose(this.#proposal.question, this.#proposal.isFinal);
  }

  /** Makes the plan final, because a partition has reached it. */
  plannedStopReached(): void {
    this.#stopAt(this.#negotiation.stopTag, this.options.plannedStatus);
  }

  /** Stops the run at the tag, because there is nothing left to do. */
  complete(tag: Tag): void {
    this.#stopAt(tag, 'completed');
  }

  cancel(): void {
    this.#proposal = undefined;
    this.#timer?.cancel();
  }

  #requestDuringRound(isRoundFinal: boolean, { tag, isFinal, by }: StopRequested): void {
    if (isRoundFinal && isFinal) this.#negotiation.request(tag, by);
    if (isRoundFinal) return;
    // A final stop does not wait for a plan, and a plan does not wait for a later plan.
    const next = this.#next;
    this.#next = { tag: earlierOf(tag, next?.tag ?? tag), isFinal: isFinal || next?.isFinal === true, by };
  }

  #settle(message: StopMessage | undefined): void {
    const proposal = this.#proposal;
    if (!proposal || !message || !('grant' in message)) return;
    this.cancel();
    this.#agreed(message.grant, proposal.isFinal);
  }

  #agreed(tag: Tag, isFinal: boolean): void {
    if (isFinal) return this.#stopAt(tag, 'stopped');
    this.options.decide(tag, false);
    const next = this.#next;
    this.#next = undefined;
    if (next) this.request(next);
  }

  #stopAt(tag: Tag, status: RunStatus): void {
    if (this.#final || isSame(tag, FOREVER)) return;
    this.cancel();
    this.#final = { tag, status };
    this.options.decide(tag, true);
  }
}
