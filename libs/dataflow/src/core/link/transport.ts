import type { DataflowError } from '../errors/dataflow.error.js';

/**
 * Carries frames between the processes of a dataflow. It may lose frames in flight when a connection breaks; the layer
 * above sends them again. Within a connection, it preserves the order.
 *
 * @publicApi
 */
export interface Transport {
  /**
   * Opens the endpoint of this process. Resolves when peers can reach it.
   *
   * @throws DataflowError when they cannot, for example because the port is in use or the broker does not answer
   */
  open(self: EndpointIdentity, events: TransportEvents): Promise<Endpoint>;
}

/** Identity of a process in a dataflow. @publicApi */
export interface EndpointIdentity {
  /** Name of the dataflow. Processes of other dataflows are refused. */
  readonly app: string;
  /** Name of this process, unique in the dataflow. */
  readonly name: string;
  /** Secret shared by all processes of the dataflow. Never sent, never logged. */
  readonly token?: string;
  /** Maximum length of a frame from a peer, in bytes. */
  readonly maxFrameBytes: number;
}

/**
 * Callbacks of a transport. It never calls them inside a method of its endpoint, and none of them throws.
 *
 * @publicApi
 */
export interface TransportEvents {
  /** Called for each complete frame. The receiver may keep the bytes. */
  frame(peer: string, bytes: Uint8Array): void;
  /** Called for a first or new connection with the peer. Frames sent before may be lost. */
  up(peer: string): void;
  down(peer: string, why: string): void;
  /** Called when a frame or a handshake was refused. The transport keeps working. */
  failed(error: DataflowError, peer?: string): void;
}

/** The endpoint of this process in a transport. @publicApi */
export interface Endpoint {
  /** Address that a peer passes to `link`. */
  readonly address: string;
  /** Maximum length of a frame that can be sent, in bytes. */
  readonly maxFrameBytes: number;
  /**
   * Keeps a connection with the peer from now on, and restores it whenever it breaks. With an address this process
   * dials; without one it accepts. A second call does nothing, unless the address differs.
   */
  link(peer: string, address?: string): void;
  /** Closes the connection after all sent frames. */
  unlink(peer: string): void;
  /**
   * Sends one frame, made of both parts. The caller may reuse `head` when this returns, but must not change `body`.
   *
   * @returns false if there is no connection. Nothing was sent then, and `up` follows when there is one
   */
  send(peer: string, head: Uint8Array, body?: Uint8Array): boolean;
  /** Closes after all sent frames, within a limited time. Further calls return the same promise. */
  close(): Promise<void>;
}
