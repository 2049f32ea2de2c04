import fc from 'fast-check';
import { SendBuffer } from './send-buffer.js';

type Act = { readonly act: 'push' | 'send' | 'acknowledge' | 'rewind' | 'clear'; readonly count: number };

const acts: fc.Arbitrary<Act> = fc.record({
  act: fc.constantFrom('push', 'push', 'send', 'acknowledge', 'acknowledge', 'rewind', 'clear'),
  count: fc.oneof(fc.nat({ max: 4 }), fc.constant(1_500)),
});

describe('SendBuffer', () => {
  it('behaves like a plain list', () => {
    fc.assert(
      fc.property(fc.array(acts, { maxLength: 40 }), (plan) => {
        const buffer = new SendBuffer();
        let list: { seq: number; frame: Uint8Array; isUnderWay: boolean }[] = [];
        let last = 0;
        for (const { act, count } of plan) {
          if (act === 'push') {
            for (let left = count; left > 0; left--) {
              const frame = new Uint8Array(left % 7);
              buffer.push(frame);
              list.push({ seq: ++last, frame, isUnderWay: false });
            }
          } else if (act === 'send') {
            for (let left = count; left > 0; left--) {
              const next = list.find(({ isUnderWay }) => !isUnderWay);
              expect(buffer.peek()).toBe(next?.frame);
              if (!next) break;
              buffer.advance();
              next.isUnderWay = true;
            }
          } else if (act === 'acknowledge') {
            const through = Math.min(buffer.oldest - 1 + count, last);
            buffer.acknowledge(through);
            list = list.filter(({ seq }) => seq > through);
          } else if (act === 'rewind') {
            buffer.rewind();
            for (const item of list) item.isUnderWay = false;
          } else {
            expect(buffer.clear()).toEqual(list.map(({ frame }) => frame));
            list = [];
            last = 0;
          }
          const underWay = list.filter(({ isUnderWay }) => isUnderWay);
          const bytesIn = (items: typeof list): number => items.reduce((sum, { frame }) => sum + frame.length, 0);
          expect({
            size: buffer.size,
            oldest: buffer.oldest,
            newest: buffer.newest,
            next: buffer.next,
            bytes: buffer.bytes,
            bytesUnderWay: buffer.bytesUnderWay,
          }).toEqual({
            size: list.length,
            oldest: list[0]?.seq ?? last + 1,
            newest: last,
            next: (underWay.at(-1)?.seq ?? (list[0]?.seq ?? last + 1) - 1) + 1,
            bytes: bytesIn(list),
            bytesUnderWay: bytesIn(underWay),
          });
        }
      }),
    );
  });
});
