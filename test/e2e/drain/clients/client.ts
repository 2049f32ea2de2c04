export interface Answer {
  readonly status: number;
  /** Values by lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
}

/** A request was sent and no complete response arrived. */
export class LostRequestError extends Error {
  constructor(
    request: string,
    why: string,
    /** HTTP/2 only: the server reports that it did not process the request, so that it is safe to retry. */
    readonly isUntouched = false,
  ) {
    super(`${request}: no complete answer, ${why}`);
    this.name = new.target.name;
  }
}

/** One request, whose body may still be being sent. */
export interface Exchange {
  /** The response. Rejects with a `LostRequestError`. */
  readonly answer: Promise<Answer>;
  write(body: string): void;
  /** Ends the body. Only for requests that did not announce its length. */
  end(): void;
  /** Stops reading the response, so that it piles up at the server. */
  pause(): void;
  resume(): void;
}

/** How a connection ended, from the client's point of view. */
export type Ending = 'end' | 'reset';

/** One connection for several requests. */
export interface Client {
  /** Whether the client may send another request, as far as the server has told it. */
  readonly isUsable: boolean;
  readonly closed: Promise<Ending>;
  begin(method: string, path: string, headers?: Record<string, string>): Exchange;
  get(path: string): Promise<Answer>;
  destroy(): void;
}

/** The address to connect to. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
  readonly scheme: 'http' | 'https' | 'h2';
}
