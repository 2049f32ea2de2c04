import { deserialize, serialize } from 'node:v8';
import { MalformedMessageError } from '../../errors/malformed-message.error.js';
import type { EdgeTag } from '../../progress/progress-tracker.js';
import type { Tag } from '../../time/tag.js';
import type { ProtocolMessage, PartitionGrant, PartitionReport } from './messages.js';
import { assertShape, isTime } from './shapes.js';

/** First byte of a message. The four frequent kinds have their own binary layout; all others use structured clone. */
const KIND = { rare: 0, data: 1, credit: 2, report: 3, grant: 4 } as const;
const FLAG = { hasEvents: 1, isIdle: 2, isOpen: 4, isBlocked: 8 } as const;
const FLAGS = Object.keys(FLAG) as (keyof typeof FLAG)[];

const TAG_BYTES = 12;
const EDGE_TAG_BYTES = 4 + TAG_BYTES;
const DATA_HEAD_BYTES = 1 + 4 + TAG_BYTES;
const CREDIT_BYTES = 1 + 4 + TAG_BYTES;
const REPORT_HEAD_BYTES = 1 + 4 + 1 + 3 * TAG_BYTES + 4 * 4;
const GRANT_HEAD_BYTES = 1 + 4 + TAG_BYTES + 1 + TAG_BYTES + 4;

export function encode(message: ProtocolMessage): Uint8Array {
  switch (message.kind) {
    case 'data':
      return encodeData(message.edge, message.tag, message.payload);
    case 'credit':
      return new Writer(CREDIT_BYTES, KIND.credit).u32(message.edge).tag(message.tag).bytes;
    case 'report':
      return encodeReport(message.report);
    case 'grant':
      return encodeGrant(message.grant);
    default: {
      const body = serialize(message);
      const writer = new Writer(1 + body.length, KIND.rare);
      writer.bytes.set(body, 1);
      return writer.bytes;
    }
  }
}

/** Decodes a message. The bytes are not trusted, so everything is checked. @throws MalformedMessageError */
export function decode(bytes: Uint8Array, from: string): ProtocolMessage {
  const reader = new Reader(bytes, from);
  switch (reader.u8()) {
    case KIND.data:
      return { kind: 'data', edge: reader.u32(), tag: reader.tag(), payload: reader.rest() };
    case KIND.credit:
      return reader.end({ kind: 'credit', edge: reader.u32(), tag: reader.tag() });
    case KIND.report:
      return reader.end({ kind: 'report', report: readReport(reader) });
    case KIND.grant:
      return reader.end({ kind: 'grant', grant: readGrant(reader) });
    case KIND.rare:
      return readRare(reader.rest(), from);
    default:
      throw new MalformedMessageError(from, 'its kind is unknown');
  }
}

function encodeData(edge: number, tag: Tag, payload: Uint8Array): Uint8Array {
  const writer = new Writer(DATA_HEAD_BYTES + payload.length, KIND.data).u32(edge).tag(tag);
  writer.bytes.set(payload, DATA_HEAD_BYTES);
  return writer.bytes;
}

function encodeReport(report: PartitionReport): Uint8Array {
  const { sent, got, physicalSent, physicalGot } = report;
  const edgeTags = sent.length + got.length + physicalSent.length + physicalGot.length;
  const writer = new Writer(REPORT_HEAD_BYTES + edgeTags * EDGE_TAG_BYTES, KIND.report);
  const flags = FLAGS.reduce((all, name) => all | (report[name] ? FLAG[name] : 0), 0);
  writer.u32(report.partition).u8(flags).tag(report.net).tag(report.lastTag).tag(report.checkpoint);
  return writer.edgeTags(sent).edgeTags(got).edgeTags(physicalSent).edgeTags(physicalGot).bytes;
}

function readReport(reader: Reader): PartitionReport {
  const partition = reader.u32();
  const flags = reader.u8();
  return {
    partition,
    hasEvents: (flags & FLAG.hasEvents) !== 0,
    isIdle: (flags & FLAG.isIdle) !== 0,
    isOpen: (flags & FLAG.isOpen) !== 0,
    isBlocked: (flags & FLAG.isBlocked) !== 0,
    net: reader.tag(),
    lastTag: reader.tag(),
    checkpoint: reader.tag(),
    sent: reader.edgeTags(),
    got: reader.edgeTags(),
    physicalSent: reader.edgeTags(),
    physicalGot: reader.edgeTags(),
  };
}

function encodeGrant({ partition, bound, need, overdraw }: PartitionGrant): Uint8Array {
  const writer = new Writer(GRANT_HEAD_BYTES + need.length * EDGE_TAG_BYTES, KIND.grant);
  writer.u32(partition).tag(bound);
  writer.u8(overdraw ? 1 : 0).tag(overdraw ?? bound);
  return writer.edgeTags(need).bytes;
}

function readGrant(reader: Reader): PartitionGrant {
  const [partition, bound, hasOverdraw, overdraw, need] = [
    reader.u32(),
    reader.tag(),
    reader.u8(),
    reader.tag(),
    reader.edgeTags(),
  ];
  return { partition, bound, need, ...(hasOverdraw === 1 && { overdraw }) };
}

function readRare(bytes: Uint8Array, from: string): ProtocolMessage {
  let message: unknown;
  try {
    message = deserialize(bytes);
  } catch (cause) {
    throw new MalformedMessageError(from, 'it cannot be decoded', { cause });
  }
  assertShape(message, from);
  return message;
}

class Writer {
  readonly bytes: Uint8Array;
  readonly #view: DataView;
  #at = 1;

  constructor(length: number, kind: number) {
    this.bytes = Buffer.allocUnsafe(length);
    this.#view = new DataView(this.bytes.buffer, this.bytes.byteOffset, length);
    this.bytes[0] = kind;
  }

  u8(value: number): this {
    this.#view.setUint8(this.#at, value);
    this.#at += 1;
    return this;
  }

  u32(value: number): this {
    this.#view.setUint32(this.#at, value, true);
    this.#at += 4;
    return this;
  }

  tag({ time, microstep }: Tag): this {
    this.#view.setFloat64(this.#at, time, true);
    this.#view.setUint32(this.#at + 8, microstep, true);
    this.#at += TAG_BYTES;
    return this;
  }

  edgeTags(all: readonly EdgeTag[]): this {
    this.u32(all.length);
    for (const [edge, tag] of all) this.u32(edge).tag(tag);
    return this;
  }
}

class Reader {
  readonly #view: DataView;
  #at = 0;

  constructor(
    private readonly bytes: Uint8Array,
    private readonly from: string,
  ) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  u8(): number {
    return this.#view.getUint8(this.#take(1));
  }

  u32(): number {
    return this.#view.getUint32(this.#take(4), true);
  }

  tag(): Tag {
    const at = this.#take(TAG_BYTES);
    const time = this.#view.getFloat64(at, true);
    if (!isTime(time)) throw new MalformedMessageError(this.from, 'it contains an invalid tag');
    return { time, microstep: this.#view.getUint32(at + 8, true) };
  }

  edgeTags(): EdgeTag[] {
    const count = this.u32();
    // Checked before memory is allocated for the entries.
    if (count * EDGE_TAG_BYTES > this.bytes.length - this.#at) throw this.#tooShort();
    const all: EdgeTag[] = [];
    for (let n = 0; n < count; n++) all.push([this.u32(), this.tag()]);
    return all;
  }

  rest(): Uint8Array {
    return this.bytes.subarray(this.#at);
  }

  end<T>(message: T): T {
    if (this.#at === this.bytes.length) return message;
    throw new MalformedMessageError(this.from, `it has ${this.bytes.length - this.#at} extra bytes`);
  }

  #take(length: number): number {
    const at = this.#at;
    if (at + length > this.bytes.length) throw this.#tooShort();
    this.#at += length;
    return at;
  }

  #tooShort(): MalformedMessageError {
    return new MalformedMessageError(this.from, 'it is too short');
  }
}
