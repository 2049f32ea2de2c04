import type { Duplex } from 'node:stream';
import { override } from '@roost/kernel';
import { settlesWithin } from '@roost/time';
import { Shedder } from '../http/shedder.js';
import type { ResolvedDrainOptions } from '../options.js';
import type { DrainTarget } from '../target.js';
import type { WorkInFlight } from '../work.js';
import { GOING_AWAY, GOING_AWAY_REASON, type WebSocketLike } from '../http/going-away.js';

/** A server from `ws` (with `clients`) or socket.io (with an `engine`). */
export interface WebSocketServerLike {
  readonly clients?: unknown;
  readonly engine?: { close?(): unknown };
  handleUpgrade?(request: unknown, socket: Duplex, ...rest: never[]): void;
  on?(event: 'connection', listener: (client: Partial<WebSocketLike>) => void): unknown;
}

interface Client extends WebSocketLike {
  once(event: 'close', listener: () => void): unknown;
}

/** The clients of a WebSocket library, closed through the library's own API. Their message handlers are not counted. */
export class WebSocketTarget implements DrainTarget {
  constructor(
    private readonly server: WebSocketServerLike,
    private readonly options: ResolvedDrainOptions,
  ) {}

  announce(): void {}

  async shed(): Promise<void> {
    // socket.io clients reconnect when the transport closes, and end their long polls.
    this.server.engine?.close?.();
    if (!(this.server.clients instanceof Set)) return;

    this.#refuseNew();
    const clients = this.#clients();
    const closed = Promise.all(clients.map((client) => new Promise<void>((done) => client.once('close', done))));
    clients.forEach(sendAway);
    await settlesWithin(closed, this.options.webSocketGraceMs, this.options.clock);
    this.force();
  }

  async settle(): Promise<void> {}

  close(): Promise<void> {
    this.force();
    return Promise.resolve();
  }

  force(): void {
    for (const client of this.#clients()) client.terminate();
  }

  inFlight(): WorkInFlight[] {
    return [];
  }

  /**
   * Refuses new clients even on HTTP servers that the drain does not know: Nest's WebSocket adapter creates some of its
   * own.
   */
  #refuseNew(): void {
    const shedder = new Shedder(this.options);
    // Libraries other than `ws` may not have this method.
    if (this.server.handleUpgrade) {
      override(this.server, 'handleUpgrade', 'DrainModule', () => (_request, socket) => shedder.refuseUpgrade(socket));
    }
    // Covers clients whose handshake was not complete yet.
    this.server.on?.('connection', (client) => isClient(client) && sendAway(client));
  }

  /** Clients of `ws` only: closing the engine of socket.io disconnects its clients. */
  #clients(): Client[] {
    const { clients } = this.server;
    return clients instanceof Set ? [...(clients as Set<object>)].filter(isClient) : [];
  }
}

const sendAway = (client: Client): void => client.close(GOING_AWAY, GOING_AWAY_REASON);

const isClient = (client: Partial<Client>): client is Client =>
  typeof client.close === 'function' && typeof client.terminate === 'function';
