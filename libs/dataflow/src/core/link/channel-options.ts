import type { Clock } from '@roost/time';
import type { DataflowError } from '../errors/dataflow.error.js';

/**
 * - `waiting` for a connection;
 * - `asking` what the peer has received;
 * - `open`;
 * - `restarted`: the peer has lost its memory, and the owner decides;
 * - `ended`.
 */
export type ChannelState = 'waiting' | 'asking' | 'open' | 'restarted' | 'ended';

export interface ChannelOptions {
  readonly peer: string;
  readonly clock: Clock;
  /** Which life of this side it is, 1 to 2³² - 1. @default at random */
  readonly incarnation?: number;
  /** False when there is no connection. Never calls back. */
  transmit(head: Uint8Array, body?: Uint8Array): boolean;
  /** Each message once, in order. */
  deliver(payload: Uint8Array): void;
  /** Both sides know where they stand: the first time, after a broken connection, after `reset`. */
  opened(): void;
  /** The peer has begun again. Nothing moves until `reset` or `end`. */
  restarted(incarnation: number): void;
  /** It has ended, and what was not received is lost. */
  failed(error: DataflowError): void;
}
