import { InvalidDataflowOptionError } from '../errors/invalid-dataflow-option.error.js';
import { check } from '../option-checks.js';
import { DATA_HEAD_BYTES } from './packet.js';
import type { EndpointIdentity } from './transport.js';

/** Names travel in handshakes and subjects. */
const MAX_NAME_BYTES = 200;
/** Far above any message, far below what a length of 4 bytes can say. */
const MAX_FRAME_BYTES = 1024 ** 3;
/** A peer that has just been spoken to is not pinged until the second look. */
const LEAST_HEARTBEATS = 3;

/** @throws InvalidDataflowOptionError */
export function assertHubOptions(identity: EndpointIdentity, heartbeatMs: number, silenceMs: number): void {
  const { app, name, token, maxFrameBytes } = identity;
  assertPeerName(app, 'identity.app');
  assertPeerName(name, 'identity.name');
  if (token !== undefined && (typeof token !== 'string' || token === '')) {
    // Not what was given: it may be a secret.
    throw new InvalidDataflowOptionError('identity.token', typeof token, 'left out, or text that is not empty');
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
  const expected = `text of 1 to ${MAX_NAME_BYTES} bytes without control characters`;
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
