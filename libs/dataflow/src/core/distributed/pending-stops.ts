import type { StopRequest } from '../node/context.js';
import type { StopGrant } from '../run/dataflow-run.js';
import { isSame, type Tag } from '../time/tag.js';

interface PendingStop {
  readonly asked: Tag;
  readonly isFinal: boolean;
  readonly resolve: (grant: StopGrant) => void;
}

/** Whether the request is for a stop as soon as possible rather than at a future tag. */
export const isFinalRequest = ({ at, after }: StopRequest): boolean => at === undefined && after === undefined;

/** Stop requests of this process that wait for the coordinator's decision. */
export class PendingStops {
  #pending: PendingStop[] = [];
  #final: Tag | undefined;

  /** The tag of the final stop, once it is decided. */
  get final(): Tag | undefined {
    return this.#final;
  }

  add(asked: Tag, request: StopRequest): Promise<StopGrant> {
    if (this.#final) return Promise.resolve(grantOf(this.#final, asked));
    return new Promise((resolve) => this.#pending.push({ asked, isFinal: isFinalRequest(request), resolve }));
  }

  /**
   * Resolves pending requests.
   *
   * @param isFinal false for a plan, which does not answer a request for a stop as soon as possible
   */
  decided(tag: Tag, isFinal: boolean): void {
    if (isFinal) this.#final ??= tag;
    const pending = this.#pending;
    this.#pending = pending.filter((one) => one.isFinal && !isFinal);
    for (const one of pending) if (isFinal || !one.isFinal) one.resolve(grantOf(tag, one.asked));
  }
}

const grantOf = (stopTag: Tag, asked: Tag): StopGrant => ({ stopTag, asAsked: isSame(stopTag, asked) });
