import type { Clock } from '@roost/time';
import type { DataflowError } from '../errors/dataflow.error.js';

/**
 * - `waiting`: there is no connection;
 * - `asking`: it waits for the peer to report what it has received;
 * - `open`: messages flow;
 * - `restarted`: the peer has lost its memory, and the owner must call `reset` or `end`;
 * - `ended`: closed for good.
 */
export type ChannelState = 'waiting' | 'asking' | 'open' | 'restarted' | 'ended';

export interface ChannelOptions {
  readonly peer: string;
  readonly clock: Clock;
  /** Incarnation of this side, 1 to 2³² - 1. @default a random number */
  readonly incarnation?: number;
  /** Sends a frame. Returns false if there is no connection. Must not call back. */
  transmit(head: Uint8Array, body?: Uint8Array): boolean;
  /** Called for each message once, in order. */
  deliver(payload: Uint8Array): void;
  /** Called when both sides are in sync: the first time, after a broken connection, and after `reset`. */
  opened(): void;
  /** Called when the peer has restarted. Nothing is sent or delivered until `reset` or `end`. */
  restarted(incarnation: number): void;
  /** Called when the channel has ended with an error. Messages that were not received are lost. */
  failed(error: DataflowError): void;
}
