import type { DataflowError } from '../errors/dataflow.error.js';

/**
 * Carries frames between the processes of a dataflow. It may lose what was under way when a connection breaks; what is
 * lost is sent again by the layer above. Within a connection it keeps the order.
 *
 * @publicApi
 */
export interface Transport {
  /**
   * Resolves when peers can reach this process.
   *
   * @throws DataflowError when they cannot: the port is taken, the broker does not answer
   */
  open(self: EndpointIdentity, events: TransportEvents): Promise<Endpoint>;
}

/** @publicApi */
export interface EndpointIdentity {
  /** Of one dataflow: processes of another one are refused. */
  readonly app: string;
  /** Of this process, unique in the dataflow. */
  readonly name: string;
  /** Shared by all processes of the dataflow. Never sent, never logged. */
  readonly token?: string;
  /** The longest frame that is taken from a peer. */
  readonly maxFrameBytes: number;
}

/** What a transport tells. It never calls these from inside a method of its endpoint, and none of them throws. @publicApi */
export interface TransportEvents {
  /** One whole frame. The bytes are the receiver's to keep. */
  frame(peer: string, bytes: Uint8Array): void;
  /** There is a connection with the peer, or there is one again: frames that were sent before may be lost. */
  up(peer: string): void;
  down(peer: string, why: string): void;
  /** Something was refused: a frame, a handshake. The transport goes on. */
  failed(error: DataflowError, peer?: string): void;
}

/** This process, as its peers reach it. @publicApi */
export interface Endpoint {
  /** What a peer passes to `link`. */
  readonly address: string;
  /** The longest frame that can be sent. */
  readonly maxFrameBytes: number;
  /**
   * Wants a connection with that peer from now on, and again whenever it breaks. With an address this process dials; the
   * other one accepts. Calling it again does nothing, unless the address is another one.
   */
  link(peer: string, address?: string): void;
  /** Ends the connection after what was sent. */
  unlink(peer: string): void;
  /**
   * Sends one frame, made of both parts. `head` is the caller's again when this returns; `body` must not be changed.
   *
   * @returns false when there is no connection: nothing was sent, and `up` will come when there is one
   */
  send(peer: string, head: Uint8Array, body?: Uint8Array): boolean;
  /** Ends after what was sent, without waiting for ever. Calling it again gives the same promise. */
  close(): Promise<void>;
}
