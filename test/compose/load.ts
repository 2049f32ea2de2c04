import { Agent, type ClientRequest, request } from 'node:http';
import { setTimeout as after } from 'node:timers/promises';

export interface Answer {
  status: number;
  body: unknown;
}

/** Far longer than any response takes. */
const ANSWER_MS = 20_000;
/** Pause in ms before a client that could not connect retries. */
const PAUSE_MS = 20;

/** Clients that send one request after another on keep-alive connections, and count the outcomes. */
export class Load {
  /** Number of responses by status. */
  readonly answers: Record<number, number> = {};
  /**
   * Connections without a listener, or reset because the listener closed before accepting them. The operating system
   * resets queued connections, so the server has not seen them.
   */
  refused = 0;
  /** Requests without a response, or with a response that was cut off. */
  readonly lost: string[] = [];
  #running = true;
  readonly #clients: Promise<void>[];

  /**
   * @param target returns the address of the next request
   * @param visit the action that each client repeats
   */
  constructor(
    readonly target: () => string,
    visit: (client: Client) => Promise<void>,
    clients = 8,
  ) {
    this.#clients = Array.from({ length: clients }, () => this.#run(visit));
  }

  /** Stops the load. All sent requests have been answered when it resolves. */
  async stop(): Promise<void> {
    this.#running = false;
    await Promise.all(this.#clients);
  }

  async #run(visit: (client: Client) => Promise<void>): Promise<void> {
    const client = new Client(this);
    while (this.#running) await visit(client);
    client.close();
  }
}

export class Client {
  readonly #load: Load;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });

  constructor(load: Load) {
    this.#load = load;
  }

  /** Resolves to undefined when there was no response. */
  async send(method: string, path: string, body?: unknown): Promise<Answer | undefined> {
    try {
      const answer = await exchange(this.#agent, method, this.#load.target() + path, body);
      this.#load.answers[answer.status] = (this.#load.answers[answer.status] ?? 0) + 1;
      return answer;
    } catch (error) {
      if (error instanceof RefusedError) {
        this.#load.refused++;
        await after(PAUSE_MS);
      } else this.#load.lost.push(`${method} ${path}: ${(error as Error).message}`);
      return undefined;
    }
  }

  close(): void {
    this.#agent.destroy();
  }
}

class RefusedError extends Error {}

const exchange = (agent: Agent, method: string, url: string, body: unknown): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const headers = body === undefined ? {} : { 'content-type': 'application/json' };
    const outgoing = request(url, { agent, method, headers, timeout: ANSWER_MS }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.once('error', reject);
      response.once('end', () =>
        resolve({ status: response.statusCode!, body: text && (JSON.parse(text) as unknown) }),
      );
    });
    outgoing.once('timeout', () => outgoing.destroy(new Error(`no answer within ${ANSWER_MS} ms`)));
    outgoing.once('error', (error: NodeJS.ErrnoException) =>
      reject(isNotAccepted(outgoing, error) ? new RefusedError(error.message) : error),
    );
    outgoing.end(body === undefined ? undefined : JSON.stringify(body));
  });

const isNotAccepted = ({ reusedSocket, socket }: ClientRequest, { code, syscall }: NodeJS.ErrnoException): boolean =>
  syscall === 'connect' || (code === 'ECONNRESET' && !reusedSocket && socket?.bytesRead === 0);
