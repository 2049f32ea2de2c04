export interface Answer {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
}

/** A request went out and no complete answer came back. */
export class LostRequestError extends Error {
  constructor(
    request: string,
    why: string,
    /** HTTP/2 only: the server has said that it has not looked at the request, so it is safe to send it again. */
    readonly isUntouched = false,
  ) {
    super(`${request}: no complete answer, ${why}`);
    this.name = new.target.name;
  }
}

/** One request, whose body may still be under way. */
export interface Exchange {
  /** Rejects with a `LostRequestError`. */
  readonly answer: Promise<Answer>;
  write(body: string): void;
  /** No more body; only for requests that did not announce its length. */
  end(): void;
  /** Stops reading the answer, so that it piles up at the server. */
  pause(): void;
  resume(): void;
}

/** How a connection came to its end, seen from here. */
export type Ending = 'end' | 'reset';

/** One connection that is used for several requests. */
export interface Client {
  /** Whether another request may be sent, as far as the client has been told. */
  readonly isUsable: boolean;
  readonly closed: Promise<Ending>;
  begin(method: string, path: string, headers?: Record<string, string>): Exchange;
  get(path: string): Promise<Answer>;
  destroy(): void;
}

/** Where to connect to. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
  readonly scheme: 'http' | 'https' | 'h2';
}
