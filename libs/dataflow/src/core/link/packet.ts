/**
 * Layout of the frames of a link: the kind, the incarnations of sender and receiver, and the newest frame that the
 * sender has received. All numbers are little-endian.
 *
 *     kind u8 · from u32 · to u32 · received u53 (8 bytes)                                      17  ack
 *     …                          · seq u53 (8 bytes) · payload                                  25+ data
 *     …                          · oldest u53 (8 bytes) · ask u32 · answer u32                  33  sync
 *     kind u8                                                                                    1  ping
 */
export const ACK = 1;
export const DATA = 2;
export const SYNC = 3;
export const PING = 4;

export const ACK_BYTES = 17;
export const DATA_HEAD_BYTES = 25;
export const SYNC_BYTES = 33;

const TWO_32 = 2 ** 32;
/** From this high word on, the number is not a safe integer. */
const MAX_HIGH_WORD = 2 ** 21;

/**
 * Position of the sender in both streams. Incarnations are never 0. A `to` of 0 means that the receiver's incarnation
 * is not known yet.
 */
export interface Sync {
  readonly from: number;
  readonly to: number;
  /** Number of the newest frame received in order. 0 for none. */
  readonly received: number;
  /** Number of the first frame that can still be sent again. */
  readonly oldest: number;
  /** Number of the open question "what have you received?". 0 for none. */
  readonly ask: number;
  /** Number of the question that this frame answers. 0 for none. */
  readonly answer: number;
}

export const PING_FRAME: Uint8Array = Uint8Array.of(PING);

/** Returns the kind of a frame, or undefined if the bytes are not a frame. */
export function kindOf(bytes: Uint8Array): number | undefined {
  const kind = bytes[0];
  switch (kind) {
    case DATA:
      return bytes.length >= DATA_HEAD_BYTES && isSafe(bytes, 9) && isSafe(bytes, 17) ? kind : undefined;
    case ACK:
      return bytes.length === ACK_BYTES && isSafe(bytes, 9) ? kind : undefined;
    case SYNC:
      return bytes.length === SYNC_BYTES && isSafe(bytes, 9) && isSafe(bytes, 17) && readU32(bytes, 1) !== 0
        ? kind
        : undefined;
    case PING:
      return bytes.length === 1 ? kind : undefined;
    default:
      return undefined;
  }
}

export const fromOf = (packet: Uint8Array): number => readU32(packet, 1);
export const toOf = (packet: Uint8Array): number => readU32(packet, 5);
export const receivedOf = (packet: Uint8Array): number => readU53(packet, 9);
export const seqOf = (data: Uint8Array): number => readU53(data, 17);
export const payloadOf = (data: Uint8Array): Uint8Array => data.subarray(DATA_HEAD_BYTES);

export const readSync = (bytes: Uint8Array): Sync => ({
  from: fromOf(bytes),
  to: toOf(bytes),
  received: receivedOf(bytes),
  oldest: readU53(bytes, 17),
  ask: readU32(bytes, 25),
  answer: readU32(bytes, 29),
});

export function writeAck(into: Uint8Array, from: number, to: number, received: number): void {
  into[0] = ACK;
  writeCommon(into, from, to, received);
}

export function writeData(into: Uint8Array, from: number, to: number, received: number, seq: number): void {
  into[0] = DATA;
  writeCommon(into, from, to, received);
  writeU53(into, 17, seq);
}

export function writeSync(into: Uint8Array, { from, to, received, oldest, ask, answer }: Sync): void {
  into[0] = SYNC;
  writeCommon(into, from, to, received);
  writeU53(into, 17, oldest);
  writeU32(into, 25, ask);
  writeU32(into, 29, answer);
}

function writeCommon(into: Uint8Array, from: number, to: number, received: number): void {
  writeU32(into, 1, from);
  writeU32(into, 5, to);
  writeU53(into, 9, received);
}

// Written by hand: a DataView would be the only allocation for a received frame besides its payload.
const readU32 = (bytes: Uint8Array, at: number): number =>
  (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) >>> 0;

const readU53 = (bytes: Uint8Array, at: number): number => readU32(bytes, at + 4) * TWO_32 + readU32(bytes, at);

const isSafe = (bytes: Uint8Array, at: number): boolean => readU32(bytes, at + 4) < MAX_HIGH_WORD;

function writeU32(into: Uint8Array, at: number, value: number): void {
  into[at] = value;
  into[at + 1] = value >>> 8;
  into[at + 2] = value >>> 16;
  into[at + 3] = value >>> 24;
}

function writeU53(into: Uint8Array, at: number, value: number): void {
  writeU32(into, at, value >>> 0);
  writeU32(into, at + 4, Math.floor(value / TWO_32));
}
