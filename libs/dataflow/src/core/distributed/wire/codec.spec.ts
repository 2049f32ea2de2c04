import { serialize } from 'node:v8';
import fc from 'fast-check';
import { MalformedMessageError } from '../../errors/malformed-message.error.js';
import type { EdgeTag } from '../../progress/progress-tracker.js';
import type { DataflowReport } from '../../report.js';
import type { Tag } from '../../time/tag.js';
import { decode, encode } from './codec.js';
import type { ProtocolMessage, ResumePoint } from './messages.js';

const u32 = fc.nat(2 ** 32 - 1);
const time = fc.oneof(fc.maxSafeInteger(), fc.constantFrom(Infinity, -Infinity, 0, -1));
const tag: fc.Arbitrary<Tag> = fc.record({ time, microstep: u32 });
const edgeTags: fc.Arbitrary<EdgeTag[]> = fc.array(fc.tuple(u32, tag), { maxLength: 8 });
const flag = fc.boolean();
const text = fc.string({ maxLength: 40 });
const count = fc.nat();
const nodes = fc.dictionary(text, fc.record({ tags: count, firings: count, digest: text }), { noNullPrototype: true });
const resume: fc.Arbitrary<ResumePoint> = fc.record({
  partition: count,
  checkpoint: tag,
  lastTag: tag,
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

const kinds: { [K in ProtocolMessage['kind']]: fc.Arbitrary<Extract<ProtocolMessage, { kind: K }>> } = {
  join: fc.record({ kind: fc.constant('join' as const), version: text, address: text }),
  report: fc.record({
    kind: fc.constant('report' as const),
    report: fc.record({
      partition: u32,
      net: tag,
      hasEvents: flag,
      isIdle: flag,
      isOpen: flag,
      isBlocked: flag,
      lastTag: tag,
      checkpoint: tag,
      sent: edgeTags,
      got: edgeTags,
      physicalSent: edgeTags,
      physicalGot: edgeTags,
    }),
  }),
  'stop-request': fc.record({ kind: fc.constant('stop-request' as const), tag, isFinal: flag, by: text }),
  'stop-answer': fc.record({ kind: fc.constant('stop-answer' as const), round: count, partition: count, tag }),
  'partition-stopped': fc.record({
    kind: fc.constant('partition-stopped' as const),
    partition: count,
    nodes,
    dataMessages: count,
  }),
  failed: fc.record({ kind: fc.constant('failed' as const), code: text, message: text, exitCode: count }),
  'peer-unreachable': fc.record({ kind: fc.constant('peer-unreachable' as const), peer: text, forMs: count }),
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
  'stop-proposal': fc.record({ kind: fc.constant('stop-proposal' as const), round: count, tag, isFinal: flag }),
  'stop-decision': fc.record({ kind: fc.constant('stop-decision' as const), tag, isFinal: flag }),
  force: fc.record({ kind: fc.constant('force' as const), code: text, message: text, exitCode: count }),
  'peer-restarted': fc.record({ kind: fc.constant('peer-restarted' as const), peer: text, address: text }),
  'peer-removed': fc.record({ kind: fc.constant('peer-removed' as const), peer: text }),
  'run-ended': fc.record({ kind: fc.constant('run-ended' as const), report: endReport }),
  data: fc.record({ kind: fc.constant('data' as const), edge: u32, tag, payload: fc.uint8Array({ maxLength: 50 }) }),
  credit: fc.record({ kind: fc.constant('credit' as const), edge: u32, tag }),
  'edge-closed': fc.record({ kind: fc.constant('edge-closed' as const), edge: count }),
  'planned-stop-reached': fc.record({ kind: fc.constant('planned-stop-reached' as const) }),
};
const message: fc.Arbitrary<ProtocolMessage> = fc.oneof(...(Object.values(kinds) as fc.Arbitrary<ProtocolMessage>[]));

const read = (bytes: Uint8Array): ProtocolMessage => decode(bytes, 'p');
const rare = (value: unknown): Uint8Array => new Uint8Array([0, ...serialize(value)]);

/** Decodes arbitrary bytes: the result must be a message or a MalformedMessageError. */
const readOrRefuse = (bytes: Uint8Array): void => {
  try {
    read(bytes);
  } catch (error) {
    expect(error).toBeInstanceOf(MalformedMessageError);
  }
};

describe('codec', () => {
  it.each(Object.entries(kinds))(
    'decodes messages of kind %s as they were encoded',
    (_, arbitrary: fc.Arbitrary<ProtocolMessage>) => {
      fc.assert(
        fc.property(arbitrary, (sent) => {
          const arrived = read(encode(sent));
          if (arrived.kind === 'data') expect({ ...arrived, payload: new Uint8Array(arrived.payload) }).toEqual(sent);
          else expect(arrived).toEqual(sent);
        }),
      );
    },
  );

  it('decodes messages from the middle of a buffer', () => {
    fc.assert(
      fc.property(message, (sent) => {
        const bytes = encode(sent);
        const buffer = new Uint8Array(bytes.length + 20).fill(7);
        buffer.set(bytes, 9);
        expect(read(buffer.subarray(9, 9 + bytes.length))).toEqual(read(bytes));
      }),
    );
  });

  it('rejects truncated messages', () => {
    fc.assert(
      fc.property(message, fc.nat(), (sent, at) => {
        const bytes = encode(sent);
        const cut = bytes.subarray(0, at % bytes.length);
        // A data message may have a shorter payload.
        if (sent.kind === 'data' && cut.length >= 17) expect(read(cut)).toMatchObject({ kind: 'data', tag: sent.tag });
        else expect(() => read(cut)).toThrow(MalformedMessageError);
      }),
    );
  });

  it('rejects messages with extra bytes', () => {
    fc.assert(
      fc.property(fc.oneof(kinds.report, kinds.grant, kinds.credit), fc.uint8Array({ minLength: 1 }), (sent, more) => {
        expect(() => read(new Uint8Array([...encode(sent), ...more]))).toThrow(/extra bytes|too short/);
      }),
    );
  });

  it('decodes or rejects damaged messages, without other errors', () => {
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

  it('does not allocate memory for a claimed length', () => {
    const bytes = Uint8Array.from(
      encode({ kind: 'grant', grant: { partition: 0, bound: { time: 0, microstep: 0 }, need: [] } }),
    );
    new DataView(bytes.buffer).setUint32(bytes.length - 4, 2 ** 32 - 1, true);
    expect(() => read(bytes)).toThrow('it is too short');
  });

  it.each([NaN, 0.5, 2 ** 53, -(2 ** 53)])('rejects messages with a tag at %d', (bad) => {
    const wrong = { time: bad, microstep: 0 };
    for (const sent of [
      { kind: 'credit', edge: 1, tag: wrong },
      { kind: 'data', edge: 1, tag: wrong, payload: new Uint8Array() },
      { kind: 'grant', grant: { partition: 1, bound: wrong, need: [] } },
      { kind: 'stop-decision', tag: wrong, isFinal: true },
      { kind: 'stop-proposal', round: 1, tag: wrong, isFinal: true },
    ] satisfies ProtocolMessage[]) {
      expect(() => read(encode(sent))).toThrow(MalformedMessageError);
    }
  });

  it('accepts messages with unknown fields', () => {
    expect(read(rare({ kind: 'peer-removed', peer: 'x', since: 'later versions' }))).toMatchObject({ peer: 'x' });
  });

  it.each([
    ['a value that is not an object', 'hello', 'it has no kind'],
    ['a missing kind', { version: 'x' }, 'it has no kind'],
    ['an unknown kind', { kind: 'bonjour' }, '"bonjour" is unknown or has invalid fields'],
    ['a kind that names an object method', { kind: 'toString' }, '"toString" is unknown or has invalid fields'],
    ['a kind with a binary layout', { kind: 'credit', edge: 1, tag: { time: 0, microstep: 0 } }, '"credit" is unknown'],
    ['a missing field', { kind: 'peer-restarted', peer: 'x' }, '"peer-restarted" is unknown'],
    ['a field of the wrong type', { kind: 'peer-removed', peer: 7 }, '"peer-removed" is unknown'],
    ['a text that is too long', { kind: 'peer-removed', peer: 'x'.repeat(100_001) }, '"peer-removed" is unknown'],
    [
      'a list with holes',
      { kind: 'start', startedAtMs: 1, addresses: {}, resume: new Array(2 ** 32 - 1) },
      '"start" is',
    ],
    ['a negative index', { kind: 'raise-floor', partition: -1, tag: { time: 0, microstep: 0 } }, '"raise-floor" is'],
    ['an unknown status', { kind: 'run-ended', report: { status: 'fine' } }, '"run-ended" is'],
  ])('rejects messages with %s', (_, value, problem) => {
    expect(() => read(rare(value))).toThrow(`A message from process "p" is malformed: ${problem}`);
  });
});
