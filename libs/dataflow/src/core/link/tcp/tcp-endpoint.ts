import { connect, type Server, type Socket } from 'node:net';
import type { Clock } from '@roost/time';
import type { DataflowError } from '../../errors/dataflow.error.js';
import type { Endpoint, EndpointIdentity, TransportEvents } from '../transport.js';
import { parseAddress } from './address.js';
import { Dial } from './dial.js';
import { TcpConnection } from './tcp-connection.js';

/** Connections that have not shown who they are. The oldest makes room for the newest. */
const MAX_STRANGERS = 64;
/** Two connections that come within this time are of two processes that dial each other. */
const CROSSING_MS = 1_000;

interface Peer {
  readonly connection: TcpConnection;
  readonly since: number;
}

/** One listening socket, and at most one connection per peer: a newer one takes the place of the older. */
export class TcpEndpoint implements Endpoint {
  readonly maxFrameBytes: number;
  readonly #connections = new Set<TcpConnection>();
  readonly #strangers = new Set<TcpConnection>();
  readonly #peers = new Map<string, Peer>();
  readonly #dials = new Map<string, Dial>();
  /** By peer: a refusal that repeats itself is told once. */
  readonly #lastFailures = new Map<string, string>();
  #closing: Promise<void> | undefined;

  constructor(
    readonly address: string,
    private readonly server: Server,
    private readonly self: EndpointIdentity,
    private readonly events: TransportEvents,
    private readonly clock: Clock,
  ) {
    this.maxFrameBytes = self.maxFrameBytes;
    server.on('connection', (socket) => this.#accept(socket));
    // A connection that cannot be accepted is no reason to end.
    server.on('error', () => undefined);
  }

  link(peer: string, address?: string): void {
    const earlier = this.#dials.get(peer);
    if (this.#closing || address === undefined || earlier?.address === address) return;
    const { host, port } = parseAddress(address);
    const dial: Dial = new Dial(address, this.clock, () =>
      this.#peers.has(peer) ? undefined : this.#dial(peer, connect({ host, port }), dial),
    );
    this.#dials.set(peer, dial);
    earlier?.stop();
    const current = this.#peers.get(peer);
    // When it has closed, the new address is dialled.
    if (earlier && current) current.connection.destroy('the peer has a new address');
    else dial.start();
  }

  unlink(peer: string): void {
    this.#dials.get(peer)?.stop();
    this.#dials.delete(peer);
    this.#lastFailures.delete(peer);
    void this.#peers.get(peer)?.connection.end('unlinked');
  }

  send(peer: string, head: Uint8Array, body?: Uint8Array): boolean {
    const connection = this.#peers.get(peer)?.connection;
    if (!connection?.isOpen) return false;
    connection.send(head, body);
    return true;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    for (const dial of this.#dials.values()) dial.stop();
    const ends: Promise<void>[] = [];
    for (const connection of this.#connections) {
      if (connection.isEstablished) ends.push(connection.end('closed'));
      else connection.destroy('closed');
    }
    await Promise.all([...ends, closed]);
  }

  #accept(socket: Socket): void {
    const connection = this.#connection(socket, {
      failed: (error) => this.events.failed(error),
      closed: () => this.#strangers.delete(connection),
      established: () => this.#strangers.delete(connection),
    });
    this.#strangers.add(connection);
    const [oldest] = this.#strangers;
    if (this.#strangers.size > MAX_STRANGERS) oldest!.destroy('too many unidentified connections');
  }

  #dial(peer: string, socket: Socket, dial: Dial): TcpConnection {
    return this.#connection(socket, {
      dials: peer,
      failed: (error) => this.#failed(error, peer),
      closed: () => dial.again(),
      established: () => this.#lastFailures.delete(peer),
    });
  }

  #connection(
    socket: Socket,
    own: {
      readonly dials?: string;
      failed(error: DataflowError): void;
      closed(): unknown;
      established(): unknown;
    },
  ): TcpConnection {
    let peerName: string | undefined;
    const connection = new TcpConnection(socket, {
      self: this.self,
      clock: this.clock,
      ...(own.dials !== undefined && { dials: own.dials }),
      established: (peer) => {
        peerName = peer;
        own.established();
        this.#adopt(peer, connection);
      },
      frame: (bytes) => this.events.frame(peerName!, bytes),
      failed: (error) => own.failed(error),
      closed: (why) => {
        this.#connections.delete(connection);
        if (peerName !== undefined) this.#drop(peerName, connection, why);
        own.closed();
      },
    });
    this.#connections.add(connection);
    return connection;
  }

  #adopt(peer: string, connection: TcpConnection): void {
    const earlier = this.#peers.get(peer);
    if (earlier && this.#isCrossing(peer, earlier, connection)) {
      connection.destroy('both sides dialled');
      return;
    }
    this.#peers.set(peer, { connection, since: this.clock.monotonic() });
    if (earlier) {
      const why = 'replaced by a newer connection';
      earlier.connection.destroy(why);
      this.events.down(peer, why);
    }
    this.events.up(peer);
  }

  /** When both dial at once, both must keep the same connection: the one that the first by name has dialled. */
  #isCrossing(peer: string, { connection, since }: Peer, newer: TcpConnection): boolean {
    return (
      connection.isDialled !== newer.isDialled &&
      connection.isDialled === this.self.name < peer &&
      connection.isOpen &&
      this.clock.monotonic() - since < CROSSING_MS
    );
  }

  #drop(peer: string, connection: TcpConnection, why: string): void {
    if (this.#peers.get(peer)?.connection !== connection) return;
    this.#peers.delete(peer);
    this.events.down(peer, why);
    // Also when it was the peer that had dialled.
    if (!this.#closing) this.#dials.get(peer)?.again();
  }

  #failed(error: DataflowError, peer: string): void {
    if (this.#lastFailures.get(peer) === error.message) return;
    this.#lastFailures.set(peer, error.message);
    this.events.failed(error, peer);
  }
}
