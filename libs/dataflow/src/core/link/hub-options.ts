import type { Clock } from '@roost/time';
import type { DataflowError } from '../errors/dataflow.error.js';
import { InvalidDataflowOptionError } from '../errors/invalid-dataflow-option.error.js';
import { check } from '../option-checks.js';
import { DATA_HEAD_BYTES } from './packet.js';
import type { EndpointIdentity, Transport } from './transport.js';

/**
 * - `up`: the peer is connected and in sync;
 * - `down`: the connection is lost and is being restored. It may follow without an `up`, if the two never got in sync;
 * - `silent`: no frame has arrived for `silenceMs`, connected or not. Never before the first frame of the peer;
 * - `alive`: a silent peer has sent a frame;
 * - `restarted`: the peer has lost its memory. Its link carries nothing until `reset` or `disconnect`;
 * - `refused`: one side refuses the other. The link keeps trying, but is unlikely to succeed.
 */
export type PeerEvent = 'up' | 'down' | 'silent' | 'alive' | 'restarted' | 'refused';

export interface LinkHubOptions {
  readonly transport: Transport;
  readonly identity: EndpointIdentity;
  /** @default systemClock */
  readonly clock?: Clock;
  /** Logs refusals after which the links continue: unidentified clients and malformed frames. */
  readonly logger?: { warn(message: string): void };
  /** Maximum time in ms between two frames to a peer. @default 1000 */
  readonly heartbeatMs?: number;
  /** Time in ms without a frame after which a peer counts as silent. @default 5000 */
  readonly silenceMs?: number;
  /** Called for each message once, in the order in which the peer sent them. The owner may keep the bytes. */
  onMessage(peer: string, bytes: Uint8Array): void;
  /** @param detail a human-readable explanation */
  onPeer(peer: string, event: PeerEvent, detail: string): void;
  /** Called when the link with a peer has ended (`EdgeLossError`), or `onMessage` threw (`MessageHandlerError`). */
  onError(error: DataflowError, peer: string): void;
}

/** Maximum length of a name in bytes. Names are part of handshakes and subjects. */
const MAX_NAME_BYTES = 200;
/** Far above any message, and far below the maximum of a 4-byte length. */
const MAX_FRAME_BYTES = 1024 ** 3;
/** After a frame, the first check sends no ping. Only the second one does. */
const LEAST_HEARTBEATS = 3;

/** The compiler rejects this list if an option is missing. */
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
    // Shows only the type, because the value may be a secret.
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
  // eslint-disable-next-line no-control-regex -- matches control characters on purpose
  !/[\u0000-\u001f\u007f]/.test(value) &&
  // Rejects unpaired surrogates.
  Buffer.from(value).toString() === value;
