import type { Clock } from '@roost/time';
import type { DataflowError } from '../errors/dataflow.error.js';
import { InvalidDataflowOptionError } from '../errors/invalid-dataflow-option.error.js';
import { check } from '../option-checks.js';
import { DATA_HEAD_BYTES } from './packet.js';
import type { EndpointIdentity, Transport } from './transport.js';

/**
 * - `up`: it can be spoken to, and both sides know where they stand;
 * - `down`: the connection is lost, and made again. It may come without an `up`, if they did not get in step;
 * - `silent`: nothing was heard of it for `silenceMs`, whether connected or not. Never before it was heard once;
 * - `alive`: a silent one has spoken;
 * - `restarted`: it has lost its memory. Its link stands still until `reset` or `disconnect`;
 * - `refused`: it does not take us, or we do not take it. This is tried again, but will hardly mend.
 */
export type PeerEvent = 'up' | 'down' | 'silent' | 'alive' | 'restarted' | 'refused';

export interface LinkHubOptions {
  readonly transport: Transport;
  readonly identity: EndpointIdentity;
  /** @default systemClock */
  readonly clock?: Clock;
  /** For what is refused and goes on: strangers, malformed frames. */
  readonly logger?: { warn(message: string): void };
  /** A peer hears something at least this often. @default 1000 */
  readonly heartbeatMs?: number;
  /** @default 5000 */
  readonly silenceMs?: number;
  /** Each message once, in the order in which the peer has sent them. The bytes are the owner's. */
  onMessage(peer: string, bytes: Uint8Array): void;
  /** @param detail for people */
  onPeer(peer: string, event: PeerEvent, detail: string): void;
  /** The link with a peer has ended (`EdgeLossError`), or `onMessage` has thrown (`MessageHandlerError`). */
  onError(error: DataflowError, peer: string): void;
}

/** Names travel in handshakes and subjects. */
const MAX_NAME_BYTES = 200;
/** Far above any message, far below what a length of 4 bytes can say. */
const MAX_FRAME_BYTES = 1024 ** 3;
/** A peer that has just been spoken to is not pinged until the second look. */
const LEAST_HEARTBEATS = 3;

/** The compiler refuses the list when an option is missing. */
const HUB_OPTION_NAMES = Object.keys({
  transport: true,
  identity: true,
  clock: true,
  logger: true,
  heartbeatMs: true,
  silenceMs: true,
  onMessage: true,
  onPeer: true,
  onError: true,
} satisfies Record<keyof LinkHubOptions, true>);

/** @throws InvalidDataflowOptionError */
export const assertHubOptionNames = (options: LinkHubOptions): void =>
  check.knownKeys(options, HUB_OPTION_NAMES, 'LinkHub');

/** @throws InvalidDataflowOptionError */
export function assertHubOptions(identity: EndpointIdentity, heartbeatMs: number, silenceMs: number): void {
  check.knownKeys(identity, ['app', 'name', 'token', 'maxFrameBytes'], 'identity');
  const { app, name, token, maxFrameBytes } = identity;
  assertPeerName(app, 'identity.app');
  assertPeerName(name, 'identity.name');
  if (token !== undefined && (typeof token !== 'string' || token === '')) {
    // Not what was given: it may be a secret.
    throw new InvalidDataflowOptionError('identity.token', typeof token, 'undefined or a non-empty string');
  }
  const frameLimits = { whole: true, above: DATA_HEAD_BYTES, most: MAX_FRAME_BYTES };
  check.number(maxFrameBytes, 'identity.maxFrameBytes', frameLimits);
  check.timeout(heartbeatMs, 'heartbeatMs');
  check.timeout(silenceMs, 'silenceMs');
  if (silenceMs < LEAST_HEARTBEATS * heartbeatMs) {
    const expected = `at least ${LEAST_HEARTBEATS} times heartbeatMs, which is ${heartbeatMs}`;
    throw new InvalidDataflowOptionError('silenceMs', silenceMs, expected);
  }
}

/** @throws InvalidDataflowOptionError */
export function assertPeerName(value: unknown, option: string): asserts value is string {
  if (isName(value)) return;
  const expected = `a string of 1 to ${MAX_NAME_BYTES} bytes without control characters`;
  throw new InvalidDataflowOptionError(option, value, expected);
}

export const isName = (value: unknown): value is string =>
  typeof value === 'string' &&
  value !== '' &&
  Buffer.byteLength(value) <= MAX_NAME_BYTES &&
  // eslint-disable-next-line no-control-regex -- that is what it looks for
  !/[\u0000-\u001f\u007f]/.test(value) &&
  // Half of a surrogate pair is no text.
  Buffer.from(value).toString() === value;
