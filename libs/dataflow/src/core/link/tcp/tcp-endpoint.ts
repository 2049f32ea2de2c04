import { connect, type Server, type Socket } from 'node:net';
import type { Clock } from '@roost/time';
import type { DataflowError } from '../../errors/dataflow.error.js';
import type { Endpoint, EndpointIdentity, TransportEvents } from '../transport.js';
import { parseAddress } from './address.js';
import { Dial } from './dial.js';
import { TcpConnection } from './tcp-connection.js';

/** Maximum number of connections that have not identified themselves. The oldest is closed for a new one. */
const MAX_STRANGERS = 64;
/** Time in ms within which two connections count as crossing: both processes have dialled each other. */
const CROSSING_MS = 1_000;

interface Peer {
  readonly connection: TcpConnection;
  readonly since: number;
}

/** One listening socket and at most one connection per peer. A newer connection replaces the older one. */
export class TcpEndpoint implements Endpoint {
  readonly maxFrameBytes: number;
  readonly #connections = new Set<TcpConnection>();
  readonly #strangers = new Set<TcpConnection>();
  readonly #peers = new Map<string, Peer>();
  readonly #dials = new Map<string, Dial>();
  /** By peer, the last reported failure, so that a repeated one is reported once. */
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
    // A connection that cannot be accepted must not end the process.
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
    // Once it has closed, the new address is dialled.
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

  /**
   * If both sides dial at once, both must keep the same connection: the one dialled by the process whose name sorts
   * first.
   */
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
    // Even if the peer had dialled the lost connection.
    if (!this.#closing) this.#dials.get(peer)?.again();
  }

  #failed(error: DataflowError, peer: string): void {
    if (this.#lastFailures.get(peer) === error.message) return;
    this.#lastFailures.set(peer, error.message);
    this.events.failed(error, peer);
  }
}
