import { serialize } from 'node:v8';
import fc from 'fast-check';
import { MalformedMessageError } from '../../errors/malformed-message.error.js';
import type { EdgeTag } from '../../progress/progress-tracker.js';
import type { DataflowReport } from '../../report.js';
import type { Tag } from '../../time/tag.js';
import { decode, encode } from './codec.js';
import type { Message, Resume } from './messages.js';

const u32 = fc.nat(2 ** 32 - 1);
const time = fc.oneof(fc.maxSafeInteger(), fc.constantFrom(Infinity, -Infinity, 0, -1));
const tag: fc.Arbitrary<Tag> = fc.record({ time, microstep: u32 });
const edgeTags: fc.Arbitrary<EdgeTag[]> = fc.array(fc.tuple(u32, tag), { maxLength: 8 });
const flag = fc.boolean();
const text = fc.string({ maxLength: 40 });
const count = fc.nat();
const nodes = fc.dictionary(text, fc.record({ tags: count, firings: count, digest: text }), { noNullPrototype: true });
const resume: fc.Arbitrary<Resume> = fc.record({
  partition: count,
  safe: tag,
  last: tag,
  sent: edgeTags,
  need: edgeTags,
});
const endReport: fc.Arbitrary<DataflowReport> = fc.record({
  status: fc.constantFrom('completed' as const, 'stopped' as const, 'forced' as const),
  exitCode: count,
  stopTag: fc.option(tag, { nil: undefined }),
  digest: text,
  nodes,
  controlMessages: count,
  dataMessages: count,
  error: fc.constant(undefined),
});

const kinds: { [K in Message['kind']]: fc.Arbitrary<Extract<Message, { kind: K }>> } = {
  hello: fc.record({ kind: fc.constant('hello' as const), version: text, address: text }),
  report: fc.record({
    kind: fc.constant('report' as const),
    report: fc.record({
      partition: u32,
      net: tag,
      hasEvents: flag,
      isIdle: flag,
      isOpen: flag,
      isStarved: flag,
      last: tag,
      safe: tag,
      sent: edgeTags,
      got: edgeTags,
      physicalSent: edgeTags,
      physicalGot: edgeTags,
    }),
  }),
  'stop-request': fc.record({ kind: fc.constant('stop-request' as const), tag, isFinal: flag, by: text }),
  'stop-answer': fc.record({ kind: fc.constant('stop-answer' as const), round: count, partition: count, tag }),
  ended: fc.record({ kind: fc.constant('ended' as const), partition: count, nodes, sent: count }),
  failed: fc.record({ kind: fc.constant('failed' as const), code: text, message: text, exitCode: count }),
  unreachable: fc.record({ kind: fc.constant('unreachable' as const), peer: text, forMs: count }),
  start: fc.record({
    kind: fc.constant('start' as const),
    startedAtMs: count,
    addresses: fc.dictionary(text, text, { noNullPrototype: true }),
    resume: fc.array(resume, { maxLength: 3 }),
  }),
  grant: fc.record({
    kind: fc.constant('grant' as const),
    grant: fc.record(
      { partition: u32, bound: tag, need: edgeTags, overdraw: tag },
      { requiredKeys: ['partition', 'bound', 'need'] },
    ),
  }),
  'raise-floor': fc.record({ kind: fc.constant('raise-floor' as const), partition: count, tag }),
  'stop-ask': fc.record({ kind: fc.constant('stop-ask' as const), round: count, tag, isFinal: flag }),
  stop: fc.record({ kind: fc.constant('stop' as const), tag, isFinal: flag }),
  force: fc.record({ kind: fc.constant('force' as const), code: text, message: text, exitCode: count }),
  'peer-restarted': fc.record({ kind: fc.constant('peer-restarted' as const), peer: text, address: text }),
  'peer-gone': fc.record({ kind: fc.constant('peer-gone' as const), peer: text }),
  end: fc.record({ kind: fc.constant('end' as const), report: endReport }),
  data: fc.record({ kind: fc.constant('data' as const), edge: u32, tag, payload: fc.uint8Array({ maxLength: 50 }) }),
  credit: fc.record({ kind: fc.constant('credit' as const), edge: u32, tag }),
  last: fc.record({ kind: fc.constant('last' as const), edge: count }),
  'plan-reached': fc.record({ kind: fc.constant('plan-reached' as const) }),
};
const message: fc.Arbitrary<Message> = fc.oneof(...(Object.values(kinds) as fc.Arbitrary<Message>[]));

const read = (bytes: Uint8Array): Message => decode(bytes, 'p');
const rare = (value: unknown): Uint8Array => new Uint8Array([0, ...serialize(value)]);

/** Anything may come, but it is either a message or refused. */
const readOrRefuse = (bytes: Uint8Array): void => {
  try {
    read(bytes);
  } catch (error) {
    expect(error).toBeInstanceOf(MalformedMessageError);
  }
};

describe('messages', () => {
  it.each(Object.entries(kinds))('of kind %s arrive as they were sent', (_, arbitrary: fc.Arbitrary<Message>) => {
    fc.assert(
      fc.property(arbitrary, (sent) => {
        const arrived = read(encode(sent));
        if (arrived.kind === 'data') expect({ ...arrived, payload: new Uint8Array(arrived.payload) }).toEqual(sent);
        else expect(arrived).toEqual(sent);
      }),
    );
  });

  it('arrive from the middle of a buffer', () => {
    fc.assert(
      fc.property(message, (sent) => {
        const bytes = encode(sent);
        const buffer = new Uint8Array(bytes.length + 20).fill(7);
        buffer.set(bytes, 9);
        expect(read(buffer.subarray(9, 9 + bytes.length))).toEqual(read(bytes));
      }),
    );
  });

  it('that end too early are refused', () => {
    fc.assert(
      fc.property(message, fc.nat(), (sent, at) => {
        const bytes = encode(sent);
        const cut = bytes.subarray(0, at % bytes.length);
        // The payload of data may be shorter.
        if (sent.kind === 'data' && cut.length >= 17) expect(read(cut)).toMatchObject({ kind: 'data', tag: sent.tag });
        else expect(() => read(cut)).toThrow(MalformedMessageError);
      }),
    );
  });

  it('that go on too long are refused', () => {
    fc.assert(
      fc.property(fc.oneof(kinds.report, kinds.grant, kinds.credit), fc.uint8Array({ minLength: 1 }), (sent, more) => {
        expect(() => read(new Uint8Array([...encode(sent), ...more]))).toThrow(/bytes are too many|too short/);
      }),
    );
  });

  it('that are damaged are read or refused, and nothing else', () => {
    fc.assert(
      fc.property(message, fc.nat(), fc.nat(255), (sent, at, byte) => {
        const bytes = Uint8Array.from(encode(sent));
        bytes[at % bytes.length] = byte;
        readOrRefuse(bytes);
      }),
      { numRuns: 1_000 },
    );
    fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), readOrRefuse), { numRuns: 1_000 });
  });

  it('do not make the reader allocate what they only claim to have', () => {
    const bytes = Uint8Array.from(
      encode({ kind: 'grant', grant: { partition: 0, bound: { time: 0, microstep: 0 }, need: [] } }),
    );
    new DataView(bytes.buffer).setUint32(bytes.length - 4, 2 ** 32 - 1, true);
    expect(() => read(bytes)).toThrow('it is too short');
  });

  it.each([NaN, 0.5, 2 ** 53, -(2 ** 53)])('with a tag at %d are refused', (bad) => {
    const wrong = { time: bad, microstep: 0 };
    for (const sent of [
      { kind: 'credit', edge: 1, tag: wrong },
      { kind: 'data', edge: 1, tag: wrong, payload: new Uint8Array() },
      { kind: 'grant', grant: { partition: 1, bound: wrong, need: [] } },
      { kind: 'stop', tag: wrong, isFinal: true },
      { kind: 'stop-ask', round: 1, tag: wrong, isFinal: true },
    ] satisfies Message[]) {
      expect(() => read(encode(sent))).toThrow(MalformedMessageError);
    }
  });

  it('may have more fields than are known', () => {
    expect(read(rare({ kind: 'peer-gone', peer: 'x', since: 'later versions' }))).toMatchObject({ peer: 'x' });
  });

  it.each([
    ['no object', 'hello', 'it has no kind'],
    ['no kind', { version: 'x' }, 'it has no kind'],
    ['an unknown kind', { kind: 'bonjour' }, '"bonjour" is not as it should be'],
    ['a kind that objects have', { kind: 'toString' }, '"toString" is not as it should be'],
    ['the kind of another form', { kind: 'credit', edge: 1, tag: { time: 0, microstep: 0 } }, '"credit" is not'],
    ['a field missing', { kind: 'peer-restarted', peer: 'x' }, '"peer-restarted" is not'],
    ['a field of another type', { kind: 'peer-gone', peer: 7 }, '"peer-gone" is not'],
    ['endless text', { kind: 'peer-gone', peer: 'x'.repeat(100_001) }, '"peer-gone" is not'],
    [
      'a list with holes',
      { kind: 'start', startedAtMs: 1, addresses: {}, resume: new Array(2 ** 32 - 1) },
      '"start" is',
    ],
    ['a negative index', { kind: 'raise-floor', partition: -1, tag: { time: 0, microstep: 0 } }, '"raise-floor" is'],
    ['a status that there is not', { kind: 'end', report: { status: 'fine' } }, '"end" is'],
  ])('with %s are refused', (_, value, problem) => {
    expect(() => read(rare(value))).toThrow(`A message of process "p" is malformed: ${problem}`);
  });
});
