import type { IncomingHttpHeaders } from 'node:http';

/**
 * The parts of a request that an exemption can use. They are known before any framework handles the request. @publicApi
 */
export interface RequestHead {
  readonly method?: string | undefined;
  /** Path with the query string. */
  readonly url?: string | undefined;
  readonly headers: IncomingHttpHeaders;
}

/** A path such as `/metrics`, or a function that takes the request and returns whether it is exempt. @publicApi */
export type Exemption = string | ((request: RequestHead) => boolean);

/** Decides which requests are served while others are refused. */
export class Exemptions {
  readonly #paths = new Set<string>();
  readonly #predicates: ((request: RequestHead) => boolean)[] = [];

  constructor(exemptions: readonly Exemption[] = []) {
    for (const exemption of exemptions) this.add(exemption);
  }

  add(exemption: Exemption): void {
    if (typeof exemption === 'string') this.#paths.add(normalize(exemption));
    else this.#predicates.push(exemption);
  }

  /** A function that throws exempts nothing. */
  has(request: RequestHead): boolean {
    if (this.#paths.has(normalize(pathOf(request)))) return true;
    return this.#predicates.some((isExempt) => {
      try {
        return isExempt(request);
      } catch {
        return false;
      }
    });
  }
}

/** Omits the query string, which may contain secrets that must not be logged. */
export const pathOf = ({ url = '/' }: Pick<RequestHead, 'url'>): string => {
  const end = url.search(/[?#]/);
  return end < 0 ? url : url.slice(0, end);
};

const normalize = (path: string): string => (path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path);
