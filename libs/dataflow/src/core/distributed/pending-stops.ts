import type { StopRequest } from '../node/context.js';
import type { StopGrant } from '../run/dataflow-run.js';
import { isSame, type Tag } from '../time/tag.js';

interface Asking {
  readonly asked: Tag;
  readonly isFinal: boolean;
  readonly resolve: (grant: StopGrant) => void;
}

/** Whether a stop is wanted as soon as possible, and not at a tag in the future. */
export const isFinalRequest = ({ at, after }: StopRequest): boolean => at === undefined && after === undefined;

/** Those who have asked for a stop, and wait to hear where it will be. */
export class StopGrants {
  #asking: Asking[] = [];
  #final: Tag | undefined;

  /** Where the run stops for good, once that is known. */
  get final(): Tag | undefined {
    return this.#final;
  }

  ask(asked: Tag, request: StopRequest): Promise<StopGrant> {
    if (this.#final) return Promise.resolve(grantOf(this.#final, asked));
    return new Promise((resolve) => this.#asking.push({ asked, isFinal: isFinalRequest(request), resolve }));
  }

  /** Where the run stops, or where it will if it gets there: that is no answer to who wants it to stop now. */
  told(tag: Tag, isFinal: boolean): void {
    if (isFinal) this.#final ??= tag;
    const waiting = this.#asking;
    this.#asking = waiting.filter((one) => one.isFinal && !isFinal);
    for (const one of waiting) if (isFinal || !one.isFinal) one.resolve(grantOf(tag, one.asked));
  }

  ended(tag: Tag): void {
    this.told(tag, true);
  }
}

const grantOf = (stopTag: Tag, asked: Tag): StopGrant => ({ stopTag, asAsked: isSame(stopTag, asked) });
