import type { Duplex } from 'node:stream';
import { override } from '@roost/kernel';
import { settlesWithin } from '@roost/time';
import { Shedder } from '../http/shedder.js';
import type { ResolvedDrainOptions } from '../options.js';
import type { DrainTarget } from '../target.js';
import type { WorkInFlight } from '../work.js';
import { GOING_AWAY, GOING_AWAY_REASON, type WebSocketLike } from '../http/going-away.js';

/** A server of `ws` (with `clients`) or of socket.io (with an `engine`). */
export interface WebSocketServerLike {
  readonly clients?: unknown;
  readonly engine?: { close?(): unknown };
  handleUpgrade?(request: unknown, socket: Duplex, ...rest: never[]): void;
  on?(event: 'connection', listener: (client: Partial<WebSocketLike>) => void): unknown;
}

interface Client extends WebSocketLike {
  once(event: 'close', listener: () => void): unknown;
}

/** The clients of a WebSocket library, closed by its own means. */
export class WebSocketTarget implements DrainTarget {
  constructor(
    private readonly server: WebSocketServerLike,
    private readonly options: ResolvedDrainOptions,
  ) {}

  announce(): void {}

  async shed(): Promise<void> {
    // socket.io: its clients take a closed transport as a reason to connect again, and end their long polls.
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

  /** Refuses clients of HTTP servers that the drain does not know: Nest's WebSocket adapter makes some for itself. */
  #refuseNew(): void {
    const shedder = new Shedder(this.options);
    // A library other than `ws` may have no such method.
    if (this.server.handleUpgrade) {
      override(this.server, 'handleUpgrade', 'DrainModule', () => (_request, socket) => shedder.refuseUpgrade(socket));
    }
    // Clients whose handshake was not complete yet.
    this.server.on?.('connection', (client) => isClient(client) && sendAway(client));
  }

  /** Those of `ws`; socket.io's are gone with its engine. */
  #clients(): Client[] {
    const { clients } = this.server;
    return clients instanceof Set ? [...(clients as Set<object>)].filter(isClient) : [];
  }
}

const sendAway = (client: Client): void => client.close(GOING_AWAY, GOING_AWAY_REASON);

const isClient = (client: Partial<Client>): client is Client =>
  typeof client.close === 'function' && typeof client.terminate === 'function';
