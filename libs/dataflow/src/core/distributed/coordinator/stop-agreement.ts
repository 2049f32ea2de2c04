import type { Clock, Timer } from '@roost/time';
import { type StopMessage, StopNegotiation, type StopQuestion } from '../../progress/stop-negotiation.js';
import type { RunStatus } from '../../report.js';
import { earlierOf, FOREVER, isSame, type Tag } from '../../time/tag.js';

export interface StopAgreementOptions {
  readonly partitions: number;
  /** Where the run stops in any case, if it gets there. */
  readonly planned: Tag | undefined;
  /** Status of a run that gets there. */
  readonly plannedStatus: RunStatus;
  readonly clock: Clock;
  readonly agreeTimeoutMs: number;
  /** Asks all processes where they can stop. */
  propose(question: StopQuestion, isFinal: boolean): void;
  /** Tells all processes where to stop: for good, or if they get there. */
  decide(tag: Tag, isFinal: boolean): void;
  /** These partitions have not answered in time. */
  onUnanswered(partitions: readonly number[]): void;
}

export interface StopRequested {
  readonly tag: Tag;
  readonly isFinal: boolean;
  readonly by: string;
}

/**
 * The tag at which the whole graph stops. A stop is either final, and every partition goes there now, or it is a plan: a
 * tag in the future that the run may not reach because it completes before. The earliest plan counts.
 * See docs/how-processes-agree.md#agreement-on-a-stop-tag.
 */
export class StopAgreement {
  readonly #negotiation: StopNegotiation;
  #final: { readonly tag: Tag; readonly status: RunStatus } | undefined;
  /** The proposal of the present round. */
  #proposal: { readonly question: StopQuestion; readonly isFinal: boolean } | undefined;
  /** A request that came during the present round and does not join it. */
  #next: StopRequested | undefined;
  #timer: Timer | undefined;

  constructor(private readonly options: StopAgreementOptions) {
    this.#negotiation = new StopNegotiation(options.partitions, options.planned ?? FOREVER);
  }

  /** Never changes once it is set. */
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
      // No partition goes beyond the plan, so there is nothing to agree on.
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

  /** A partition was removed from the run. @param notBegun the first tag that it has not begun */
  remove(partition: number, notBegun: Tag): void {
    this.#settle(this.#negotiation.leave(partition, notBegun));
  }

  /** Repeats the decision and the open proposal for a process that was restarted. */
  repeat(propose: StopAgreementOptions['propose'], decide: StopAgreementOptions['decide']): void {
    const stopTag = this.#final?.tag ?? this.#negotiation.stopTag;
    if (!isSame(stopTag, FOREVER)) decide(stopTag, this.#final !== undefined);
    if (this.#proposal) propose(this.#proposal.question, this.#proposal.isFinal);
  }

  /** A partition has got to the planned stop. */
  plannedStopReached(): void {
    this.#stopAt(this.#negotiation.stopTag, this.options.plannedStatus);
  }

  /** There is nothing left to do. */
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
    // A final stop does not wait for a plan, nor a plan for a later one.
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
