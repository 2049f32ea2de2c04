import type { Server } from 'node:net';
import { until } from '../until.fixture.js';
import { RawClient } from './raw-client.fixture.js';

const TYPES = { HEADERS: 1, SETTINGS: 4, PING: 6, GOAWAY: 7 } as const;
const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';
const END_STREAM_AND_HEADERS = 0x05;
const ACK = 0x01;
/** `GET http://localhost/`, encoded with the static table of HPACK. */
const GET_ROOT = Buffer.from([0x82, 0x86, 0x84, 0x41, 9, ...Buffer.from('localhost')]);

interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Buffer;
}

/** An HTTP/2 client that does nothing on its own. Node's client closes its session when it receives a GOAWAY. */
export class FrameClient {
  private constructor(private readonly raw: RawClient) {}

  static async connect(server: Server): Promise<FrameClient> {
    const client = new FrameClient(await RawClient.connect(server));
    client.raw.send(PREFACE);
    client.#send(TYPES.SETTINGS, 0, 0);
    await until(() => client.#frames().some(({ type }) => type === TYPES.SETTINGS));
    client.#send(TYPES.SETTINGS, ACK, 0);
    return client;
  }

  get(stream: number): void {
    this.#send(TYPES.HEADERS, END_STREAM_AND_HEADERS, stream, GET_ROOT);
  }

  /** The last stream id of each GOAWAY received. */
  get goaways(): number[] {
    return this.#of(TYPES.GOAWAY).map(({ payload }) => payload.readUInt32BE(0));
  }

  get pings(): Buffer[] {
    return this.#of(TYPES.PING).map(({ payload }) => payload);
  }

  /** The streams whose response has started. */
  get answered(): number[] {
    return this.#of(TYPES.HEADERS).map(({ stream }) => stream);
  }

  get closed(): boolean {
    return this.raw.closed;
  }

  answerPing(payload: Buffer): void {
    this.#send(TYPES.PING, ACK, 0, payload);
  }

  #of(wanted: number): Frame[] {
    return this.#frames().filter(({ type }) => type === wanted);
  }

  #frames(): Frame[] {
    const bytes = Buffer.from(this.raw.received, 'latin1');
    const frames: Frame[] = [];
    for (let at = 0; at + 9 <= bytes.length;) {
      const end = at + 9 + bytes.readUIntBE(at, 3);
      if (end > bytes.length) break;
      frames.push({
        type: bytes[at + 3]!,
        flags: bytes[at + 4]!,
        stream: bytes.readUInt32BE(at + 5),
        payload: bytes.subarray(at + 9, end),
      });
      at = end;
    }
    return frames;
  }

  #send(type: number, flags: number, stream: number, payload: Buffer = Buffer.alloc(0)): void {
    const head = Buffer.alloc(9);
    head.writeUIntBE(payload.length, 0, 3);
    head[3] = type;
    head[4] = flags;
    head.writeUInt32BE(stream, 5);
    this.raw.send(Buffer.concat([head, payload]).toString('latin1'));
  }
}
