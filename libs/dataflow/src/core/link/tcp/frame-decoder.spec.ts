import fc from 'fast-check';
import { MalformedFrameError } from '../errors/malformed-frame.error.js';
import { OversizedFrameError } from '../errors/oversized-frame.error.js';
import { FrameDecoder } from './frame-decoder.js';

const LIMIT = 100;

const encode = (frame: Uint8Array): Buffer => {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(frame.length);
  return Buffer.concat([length, frame]);
};

function decoder(limit = LIMIT) {
  const frames: Buffer[] = [];
  return {
    frames,
    decoder: new FrameDecoder(
      limit,
      (frame) => frames.push(frame),
      () => 'someone',
    ),
  };
}

describe('FrameDecoder', () => {
  it('finds the frames wherever the stream is split', () => {
    fc.assert(
      fc.property(
        fc.array(fc.uint8Array({ minLength: 1, maxLength: LIMIT }), { maxLength: 10 }),
        fc.array(fc.nat({ max: 1_200 }), { maxLength: 20 }),
        (sent, cuts) => {
          const { decoder: decode, frames } = decoder();
          const stream = Buffer.concat(sent.map(encode));
          const at = [0, ...cuts.filter((cut) => cut <= stream.length).sort((a, b) => a - b), stream.length];

          for (let index = 1; index < at.length; index++) decode.push(stream.subarray(at[index - 1], at[index]));

          expect(frames.map((frame) => [...frame])).toEqual(sent.map((frame) => [...frame]));
        },
      ),
    );
  });

  it('finds the frames in a stream of single bytes', () => {
    const { decoder: decode, frames } = decoder();

    for (const byte of Buffer.concat([encode(Buffer.from('one')), encode(Buffer.from('two'))])) {
      decode.push(Buffer.of(byte));
    }

    expect(frames.map(String)).toEqual(['one', 'two']);
  });

  it('does not copy a frame within one chunk', () => {
    const { decoder: decode, frames } = decoder();
    const chunk = encode(Buffer.from('whole'));

    decode.push(chunk);

    expect(frames[0]!.buffer).toBe(chunk.buffer);
  });

  it.each([
    ['in one piece', 4],
    ['in pieces', 1],
  ])('rejects a length over the limit before it reads more, when it arrives %s', (_how, piece) => {
    const { decoder: decode, frames } = decoder();
    const length = Buffer.from([0xff, 0xff, 0xff, 0xff]);

    const push = (): void => {
      for (let at = 0; at < 4; at += piece) decode.push(length.subarray(at, at + piece));
    };

    expect(push).toThrow(OversizedFrameError);
    expect(push).toThrow(
      expect.objectContaining({ code: 'DATAFLOW_OVERSIZED_FRAME', peer: 'someone', bytes: 2 ** 32 - 1, limit: LIMIT }),
    );
    expect(frames).toEqual([]);
  });

  it('accepts a frame at the limit, and rejects one that is a byte longer', () => {
    const { decoder: decode, frames } = decoder();

    decode.push(encode(Buffer.alloc(LIMIT)));

    expect(frames).toHaveLength(1);
    expect(() => decode.push(encode(Buffer.alloc(LIMIT + 1)))).toThrow('exceeds the limit of 100');
  });

  it('rejects a length of 0', () => {
    expect(() => decoder().decoder.push(Buffer.alloc(4))).toThrow(MalformedFrameError);
  });

  it('emits no frame after stop(), not even from the same chunk', () => {
    const frames: string[] = [];
    const decode: FrameDecoder = new FrameDecoder(
      LIMIT,
      (frame) => {
        frames.push(String(frame));
        decode.stop();
      },
      () => 'someone',
    );

    decode.push(Buffer.concat([encode(Buffer.from('one')), encode(Buffer.from('two'))]));
    decode.push(encode(Buffer.from('three')));

    expect(frames).toEqual(['one']);
  });
});
