import type { Clock, Timer } from '@roost/time';
import { type StopMessage, StopNegotiation, type StopQuestion } from '../../progress/stop-negotiation.js';
import type { RunStatus } from '../../report.js';
import { earlierOf, FOREVER, isSame, type Tag } from '../../time/tag.js';

export interface StopAgreementOptions {
  readonly partitions: number;
  /** Where the run stops in any case, if it gets there. */
  readonly planned: Tag | undefined;
  /** What to call it if it gets there. */
  readonly plannedStatus: RunStatus;
  readonly clock: Clock;
  readonly agreeTimeoutMs: number;
  /** Asks everybody where they can stop. */
  ask(question: StopQuestion, isFinal: boolean): void;
  /** Tells everybody where to stop: for good, or if they get there. */
  tell(tag: Tag, isFinal: boolean): void;
  /** Some have not answered in time. */
  unanswered(partitions: readonly number[]): void;
}

export interface StopRequested {
  readonly tag: Tag;
  readonly isFinal: boolean;
  readonly by: string;
}

/**
 * Where the whole graph stops. A stop is either final, and everybody goes there now, or it is a plan: a tag in the future
 * that the run may not reach because there is nothing left to do before. Of several plans the earliest counts.
 */
export class StopAgreement {
  readonly #negotiation: StopNegotiation;
  #final: { readonly tag: Tag; readonly status: RunStatus } | undefined;
  /** What the present round is about. */
  #question: { readonly question: StopQuestion; readonly isFinal: boolean } | undefined;
  /** What was asked for during a round, and is not what the round is about. */
  #next: StopRequested | undefined;
  #timer: Timer | undefined;

  constructor(private readonly options: StopAgreementOptions) {
    this.#negotiation = new StopNegotiation(options.partitions, options.planned ?? FOREVER);
  }

  /** Once there is one it stays. */
  get final(): { readonly tag: Tag; readonly status: RunStatus } | undefined {
    return this.#final;
  }

  get isAsking(): boolean {
    return this.#question !== undefined;
  }

  request(request: StopRequested): void {
    const { tag, isFinal, by } = request;
    if (this.#final) return this.options.tell(this.#final.tag, true);
    if (this.#question) return this.#requestDuringRound(this.#question.isFinal, request);
    const message = this.#negotiation.request(tag, by);
    if (!message) {
      // Nobody goes beyond what is planned: there is nothing to agree on.
      const { stopTag } = this.#negotiation;
      return isFinal ? this.#stopAt(stopTag, 'stopped') : this.options.tell(stopTag, false);
    }
    if ('grant' in message) return this.#grant(message.grant, isFinal);
    this.#question = { question: message.ask, isFinal };
    const { clock, agreeTimeoutMs } = this.options;
    this.#timer = clock.setTimer(agreeTimeoutMs, () => this.options.unanswered(this.#negotiation.waitingFor));
    this.options.ask(message.ask, isFinal);
  }

  answer(round: number, partition: number, tag: Tag): void {
    this.#settle(this.#negotiation.answer(round, partition, tag));
  }

  leave(partition: number, notBegun: Tag): void {
    this.#settle(this.#negotiation.leave(partition, notBegun));
  }

  /** Says what was said so far to one that has not heard it. */
  repeat(ask: StopAgreementOptions['ask'], tell: StopAgreementOptions['tell']): void {
    const stopTag = this.#final?.tag ?? this.#negotiation.stopTag;
    if (!isSame(stopTag, FOREVER)) tell(stopTag, this.#final !== undefined);
    if (this.#question) ask(this.#question.question, this.#question.isFinal);
  }

  /** Somebody has got as far as the plan. */
  planReached(): void {
    this.#stopAt(this.#negotiation.stopTag, this.options.plannedStatus);
  }

  /** There is nothing left to do. */
  complete(tag: Tag): void {
    this.#stopAt(tag, 'completed');
  }

  cancel(): void {
    this.#question = undefined;
    this.#timer?.cancel();
  }

  #requestDuringRound(isRoundFinal: boolean, { tag, isFinal, by }: StopRequested): void {
    if (isRoundFinal && isFinal) this.#negotiation.request(tag, by);
    if (isRoundFinal) return;
    // A stop as soon as possible is not kept waiting by one in the future, nor one in the future by a later one.
    const next = this.#next;
    this.#next = { tag: earlierOf(tag, next?.tag ?? tag), isFinal: isFinal || next?.isFinal === true, by };
  }

  #settle(message: StopMessage | undefined): void {
    const question = this.#question;
    if (!question || !message || !('grant' in message)) return;
    this.cancel();
    this.#grant(message.grant, question.isFinal);
  }

  #grant(tag: Tag, isFinal: boolean): void {
    if (isFinal) return this.#stopAt(tag, 'stopped');
    this.options.tell(tag, false);
    const next = this.#next;
    this.#next = undefined;
    if (next) this.request(next);
  }

  #stopAt(tag: Tag, status: RunStatus): void {
    if (this.#final || isSame(tag, FOREVER)) return;
    this.cancel();
    this.#final = { tag, status };
    this.options.tell(tag, true);
  }
}
