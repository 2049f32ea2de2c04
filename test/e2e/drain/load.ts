import { setTimeout as after } from 'node:timers/promises';
import { type Client, type Endpoint, LostRequestError } from './clients/client.js';
import { openClient } from './clients/open-client.js';

/** Counts how the requests of several clients ended. */
export class Tally {
  readonly byStatus = new Map<number, number>();
  /** Requests that were sent and not answered. */
  readonly lost: string[] = [];
  /** Connections that could not be opened, with the reason. */
  readonly refused: string[] = [];
  /** HTTP/2 streams that the server reported as not processed. Clients may retry them elsewhere on their own. */
  untouched = 0;

  get answered(): number {
    return [...this.byStatus.values()].reduce((sum, count) => sum + count, 0);
  }

  count(status: number): void {
    this.byStatus.set(status, (this.byStatus.get(status) ?? 0) + 1);
  }

  /** Requests that were neither served nor refused properly. */
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
  /** Returns the path of the next request. */
  path(): string;
  /** Pause after a response, in ms. @default no pause */
  pause?(): number;
  /** Whether to open a new connection for every request. */
  fresh?: boolean;
  /** Whether to stop when the first connection ends. */
  once?: boolean;
  /** Stops the load. A request in flight is still awaited. */
  readonly stop: AbortSignal;
}

/** Runs a client that sends its next request as soon as it has the previous response. Resolves when it has stopped. */
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
    // The server no longer listens. Retries occasionally until the load stops.
    await after(10);
    return undefined;
  }
}
