import { setTimeout as after } from 'node:timers/promises';
import { type Client, type Endpoint, LostRequestError } from './clients/client.js';
import { openClient } from './clients/open-client.js';

/** How the requests of some clients ended. */
export class Tally {
  readonly byStatus = new Map<number, number>();
  /** Went out and were not answered. */
  readonly lost: string[] = [];
  /** Connections that did not come about, with the reason. */
  readonly refused: string[] = [];
  /** Streams of HTTP/2 that the server has said it will not touch. Clients may send them again elsewhere, unasked. */
  untouched = 0;

  get answered(): number {
    return [...this.byStatus.values()].reduce((sum, count) => sum + count, 0);
  }

  count(status: number): void {
    this.byStatus.set(status, (this.byStatus.get(status) ?? 0) + 1);
  }

  /** What is neither served nor refused properly. */
  get wrong(): string[] {
    const strange = [...this.byStatus].filter(([status]) => status !== 200 && status !== 503);
    return [...this.lost, ...strange.map(([status, count]) => `${count} times status ${status}`)];
  }

  toString(): string {
    const statuses = [...this.byStatus].map(([status, count]) => `${status}: ${count}`).join(', ');
    return `${statuses || 'no answers'}; lost: ${this.lost.length}; refused connections: ${this.refused.length}, streams: ${this.untouched}`;
  }
}

export interface LoadOptions {
  readonly endpoint: Endpoint;
  readonly tally: Tally;
  /** The path of the next request. */
  path(): string;
  /** How long it waits after an answer, in ms. @default not at all */
  pause?(): number;
  /** A new connection for every request. */
  fresh?: boolean;
  /** Whether to stop when the first connection is over. */
  once?: boolean;
  /** Ends the load; a request under way is waited for. */
  readonly stop: AbortSignal;
}

/** One client that sends its next request as soon as it has the answer to the last. Resolves when it has stopped. */
export async function hammer({ endpoint, tally, path, pause, fresh, once, stop }: LoadOptions): Promise<void> {
  let client: Client | undefined;
  while (!stop.aborted) {
    if (!client?.isUsable) {
      if (client && once) break;
      client?.destroy();
      client = await connect(endpoint, tally);
      if (!client) continue;
    }
    try {
      tally.count((await client.get(path())).status);
      if (pause) await after(pause());
    } catch (error) {
      if (!(error instanceof LostRequestError)) throw error;
      if (error.isUntouched) tally.untouched++;
      else tally.lost.push(error.message);
      client.destroy();
      if (once) break;
    }
    if (fresh) {
      client.destroy();
      client = undefined;
    }
  }
  client?.destroy();
}

async function connect(endpoint: Endpoint, tally: Tally): Promise<Client | undefined> {
  try {
    return await openClient(endpoint);
  } catch (error) {
    tally.refused.push((error as NodeJS.ErrnoException).code ?? String(error));
    // Nobody listens, and nobody will: ask now and then, until told to stop.
    await after(10);
    return undefined;
  }
}
