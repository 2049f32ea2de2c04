import fc from 'fast-check';
import { FOREVER, NEVER } from '../time/tag.js';
import { at } from './graphs.fixture.js';
import { MessagesInFlight } from './messages-in-flight.js';

describe('MessagesInFlight', () => {
  it('is empty at first', () => {
    const inFlight = new MessagesInFlight();
    expect(inFlight.first).toBe(FOREVER);
    expect(inFlight.lastSent).toBe(NEVER);
  });

  it('ignores a message that was reported as received before it was reported as sent', () => {
    const inFlight = new MessagesInFlight();
    inFlight.got(at(5));
    inFlight.sent(at(5));
    expect(inFlight.first).toBe(FOREVER);
    expect(inFlight.lastSent).toEqual(at(5));
    inFlight.sent(at(5, 1));
    expect(inFlight.first).toEqual(at(5, 1));
  });

  it('keeps the latest received tag', () => {
    const inFlight = new MessagesInFlight();
    inFlight.got(at(5));
    inFlight.got(at(3));
    inFlight.sent(at(4));
    expect(inFlight.first).toBe(FOREVER);
  });

  it('keeps the remaining messages when many have arrived', () => {
    const inFlight = new MessagesInFlight();
    for (let time = 0; time < 100; time++) inFlight.sent(at(time));
    inFlight.got(at(70));
    expect(inFlight.first).toEqual(at(71));
    inFlight.sent(at(100));
    expect(inFlight.lastBefore(FOREVER)).toEqual(at(100));
    inFlight.got(at(100));
    expect(inFlight.first).toBe(FOREVER);
  });

  it('contains the sent and not received messages, in any order of reports', () => {
    const events = fc.array(fc.tuple(fc.boolean(), fc.nat({ max: 8 })), { maxLength: 200 });
    fc.assert(
      fc.property(events, fc.nat({ max: 400 }), (sequence, limit) => {
        const inFlight = new MessagesInFlight();
        const sent: number[] = [];
        let received = -1;
        for (const [isSent, step] of sequence) {
          if (isSent) {
            const time = (sent.at(-1) ?? -1) + 1 + (step % 3);
            sent.push(time);
            inFlight.sent(at(time));
          } else {
            received += step % 3;
            inFlight.got(at(received));
          }
          const left = sent.filter((time) => time > received);
          expect(inFlight.first).toEqual(left.length > 0 ? at(left[0]!) : FOREVER);
          const last = left.filter((time) => time < limit).at(-1);
          if (last !== undefined) expect(inFlight.lastBefore(at(limit))).toEqual(at(last));
        }
      }),
    );
  });
});
