import fc from 'fast-check';
import * as packet from './packet.js';

const u32 = fc.integer({ min: 1, max: 2 ** 32 - 1 });
const u53 = fc.maxSafeNat();

describe('packet', () => {
  it('round-trips every number', () => {
    fc.assert(
      fc.property(
        fc.record({ from: u32, to: u32, received: u53, oldest: u53, ask: u32, answer: u32 }),
        fc.uint8Array({ maxLength: 20 }),
        (sync, payload) => {
          const syncBytes = new Uint8Array(packet.SYNC_BYTES);
          packet.writeSync(syncBytes, sync);
          expect([packet.kindOf(syncBytes), packet.readSync(syncBytes)]).toEqual([packet.SYNC, sync]);

          const ack = new Uint8Array(packet.ACK_BYTES);
          packet.writeAck(ack, sync.from, sync.to, sync.received);
          expect([packet.kindOf(ack), packet.fromOf(ack), packet.toOf(ack), packet.receivedOf(ack)]).toEqual([
            packet.ACK,
            sync.from,
            sync.to,
            sync.received,
          ]);

          const head = new Uint8Array(packet.DATA_HEAD_BYTES);
          packet.writeData(head, sync.from, sync.to, sync.received, sync.oldest);
          const data = Uint8Array.of(...head, ...payload);
          expect([packet.kindOf(data), packet.receivedOf(data), packet.seqOf(data)]).toEqual([
            packet.DATA,
            sync.received,
            sync.oldest,
          ]);
          expect(packet.payloadOf(data)).toEqual(payload);
        },
      ),
    );
  });

  it('rejects bytes that it could not read', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        const kind = packet.kindOf(bytes);
        if (kind === undefined || kind === packet.PING) return;

        expect(Number.isSafeInteger(packet.receivedOf(bytes))).toBe(true);
        if (kind === packet.DATA) expect(Number.isSafeInteger(packet.seqOf(bytes))).toBe(true);
      }),
      {
        examples: [[new Uint8Array(40).fill(packet.DATA)], [new Uint8Array(33).fill(packet.SYNC)], [new Uint8Array()]],
      },
    );
  });
});
