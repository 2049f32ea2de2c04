import { pair } from './channel.fixture.js';
import { EdgeLossError } from './errors/edge-loss.error.js';
import * as packet from './packet.js';

const numbers = (count: number, from = 0): string[] => Array.from({ length: count }, (_, index) => `${from + index}`);

describe('Channel', () => {
  it('delivers messages sent before and after the first connection', async () => {
    const { a, b, settle } = await pair();
    a.send('one', 'two');
    expect(a.channel.state).toBe('waiting');

    settle();
    a.send('three');
    settle();

    expect(b.delivered).toEqual(['one', 'two', 'three']);
    expect([a.told, b.told]).toEqual([['opened'], ['opened']]);
  });

  it('acknowledges with frames in the other direction', async () => {
    const { a, b, settle } = await pair();
    settle();
    b.onMessage = (text) => b.send(`re ${text}`);
    const before = b.transmitted;

    a.send('hello');
    settle();

    expect(a.delivered).toEqual(['re hello']);
    expect(b.transmitted - before).toBe(1);
    expect(a.channel.unackedFrames).toBe(0);
  });

  it('acknowledges one-way traffic after a delay, and is quiet afterwards', async () => {
    const { a, b, clock, settle } = await pair();
    settle();
    a.send('one', 'two');
    settle();
    expect([a.channel.unackedFrames, a.channel.unackedBytes]).toEqual([2, 6]);
    const before = b.transmitted;

    clock.advance(20);
    settle();

    expect([a.channel.unackedFrames, a.channel.unackedBytes]).toEqual([0, 0]);
    expect(b.transmitted - before).toBe(1);
    clock.advance(2_000);
    settle();
    expect([a.transmitted + b.transmitted, clock.pendingTimers]).toEqual([expect.any(Number), 0]);
    const quiet = a.transmitted + b.transmitted;
    clock.advance(60_000);
    expect(a.transmitted + b.transmitted).toBe(quiet);
  });

  it("acknowledges a long stream continuously, so that the sender's buffer stays short", async () => {
    const { a, b, settle } = await pair();
    settle();

    for (const text of numbers(1_000)) {
      a.send(text);
      settle();
      expect(a.channel.unackedFrames).toBeLessThanOrEqual(64);
    }

    expect(b.delivered).toEqual(numbers(1_000));
  });

  it('keeps messages beyond the window, and sends them as the peer acknowledges', async () => {
    const { a, b, network, settle } = await pair();
    settle();
    const big = new Uint8Array(1_000_000);

    for (let count = 0; count < 20; count++) a.channel.send(big);

    expect(network.pending).toEqual([{ from: 'a', to: 'b', underWay: 5 }]);
    expect(a.channel.unackedBytes).toBe(20_000_000);
    settle();
    expect(b.delivered).toHaveLength(20);
  });

  it('sends no delivered message again after a broken connection', async () => {
    const { a, b, network, settle } = await pair();
    settle();
    a.send('one', 'two', 'three');
    network.cut('a', 'b', 2);
    settle();
    expect([a.channel.state, b.channel.state]).toEqual(['waiting', 'waiting']);
    expect(b.delivered).toEqual(['one', 'two']);
    a.send('four');
    const before = a.transmitted;

    network.heal('a', 'b');
    settle();

    expect(b.delivered).toEqual(['one', 'two', 'three', 'four']);
    expect(a.told).toEqual(['opened', 'opened']);
    // Besides the two frames: its own question, and the answers to two questions of b.
    expect(a.transmitted - before).toBeLessThanOrEqual(5);
  });

  it('notices a gap immediately, and asks once', async () => {
    const { a, b, network, settle } = await pair();
    settle();
    a.send('one', 'two', 'three', 'four');
    network.lose('a', 'b');
    const before = b.transmitted;

    network.step();
    network.step();
    network.step();

    expect(b.transmitted - before).toBe(1);
    settle();
    expect(b.delivered).toEqual(['one', 'two', 'three', 'four']);
    expect([a.told, b.told]).toEqual([['opened'], ['opened']]);
  });

  it('notices the loss of its last frame after a timeout', async () => {
    const { a, b, network, clock, settle } = await pair();
    settle();
    a.send('one');
    network.lose('a', 'b');
    settle();
    expect(b.delivered).toEqual([]);

    clock.advance(1_000);
    settle();

    expect(b.delivered).toEqual(['one']);
  });

  it('repeats its question until it is answered', async () => {
    const { a, b, network, clock, settle } = await pair();
    network.step();
    network.step();
    while (network.pending.length > 0) for (const { from, to } of network.pending) network.lose(from, to);
    expect(a.channel.state).toBe('asking');
    a.send('one');

    clock.advance(1_000);
    settle();

    expect(b.delivered).toEqual(['one']);
  });

  it('accepts an answer that arrives after a repeated question', async () => {
    const { a, network, clock, settle } = await pair();
    settle();
    a.channel.up();
    network.step();
    expect(network.pending).toEqual([{ from: 'b', to: 'a', underWay: 1 }]);

    clock.advance(1_000);
    network.step(network.pending.findIndex(({ from }) => from === 'b'));

    expect(a.channel.state).toBe('open');
  });

  it('drops duplicates', async () => {
    const { a, b, network, settle } = await pair();
    settle();
    a.send('one', 'two');
    network.repeat('a', 'b');

    settle();

    expect(b.delivered).toEqual(['one', 'two']);
  });

  it('resolves acked() with true when everything has been received', async () => {
    const { a, clock, settle } = await pair();
    expect(await a.channel.acked()).toBe(true);
    settle();
    a.send('one');
    const first = a.channel.acked();
    a.send('two');
    settle();
    clock.advance(20);
    settle();

    expect(await first).toBe(true);
    expect(await a.channel.acked()).toBe(true);
  });

  it('resolves acked() with false when it ends first', async () => {
    const { a, settle } = await pair();
    settle();
    a.send('one');
    const received = a.channel.acked();

    a.channel.end();

    expect(await received).toBe(false);
    expect(await a.channel.acked()).toBe(false);
    expect(a.channel.state).toBe('ended');
  });

  it('acknowledges received messages before it ends, and delivers nothing afterwards', async () => {
    const { a, b, clock, settle } = await pair();
    settle();
    a.send('one');
    b.onMessage = () => b.channel.end();
    a.send('two');

    settle();

    expect(b.delivered).toEqual(['one']);
    expect(a.channel.unackedFrames).toBe(1);
    b.send('ignored');
    b.channel.end();
    b.channel.up();
    b.channel.down();
    expect([b.channel.state, b.channel.unackedFrames]).toEqual(['ended', 0]);
    a.channel.end();
    expect(clock.pendingTimers).toBe(0);
  });

  describe('with invalid frames', () => {
    const sync = (fields: Partial<packet.Sync>): Uint8Array => {
      const bytes = new Uint8Array(packet.SYNC_BYTES);
      packet.writeSync(bytes, { from: 21, to: 11, received: 0, oldest: 1, ask: 0, answer: 0, ...fields });
      return bytes;
    };

    it('ends when the peer no longer has a missing frame', async () => {
      const { a, settle } = await pair();
      settle();
      a.send('one');
      const received = a.channel.acked();

      a.channel.receive(sync({ oldest: 5 }));

      expect(a.errors).toEqual([expect.any(EdgeLossError)]);
      expect(a.errors[0]).toMatchObject({ code: 'DATAFLOW_EDGE_LOSS', peer: 'b', expected: 1, seen: 5 });
      expect(a.errors[0]!.message).toContain('Frames 1 to 4 of the link with "b" are lost');
      expect([a.channel.state, await received]).toEqual(['ended', false]);
    });

    it.each([
      ['an empty frame', new Uint8Array()],
      ['an unknown kind', Uint8Array.of(99, 1, 2, 3)],
      ['a truncated frame', Uint8Array.of(packet.DATA, 1, 2, 3)],
      ['a ping with a payload', Uint8Array.of(packet.PING, 1)],
      ['a number that is not a safe integer', sync({}).fill(255, 9, 17)],
      ['an incarnation 0', sync({ from: 0 })],
      ['an acknowledgement of a frame that was not sent', sync({ received: 9 })],
    ])('rejects %s', async (_what, bytes) => {
      const { a, b, settle } = await pair();
      settle();

      expect(a.channel.receive(bytes)).toBe(false);

      a.send('one');
      settle();
      expect(b.delivered).toEqual(['one']);
    });

    it('rejects data that acknowledges a frame that was not sent', async () => {
      const { a, settle } = await pair();
      settle();
      const data = new Uint8Array(packet.DATA_HEAD_BYTES + 1);
      packet.writeData(data, 21, 11, 4, 1);

      expect(a.channel.receive(data)).toBe(false);
      expect(a.delivered).toEqual([]);
    });

    it('ignores data for an earlier incarnation of this side', async () => {
      const { a, settle } = await pair();
      settle();
      const data = new Uint8Array(packet.DATA_HEAD_BYTES);
      packet.writeData(data, 21, 10, 0, 1);

      expect(a.channel.receive(data)).toBe(true);
      expect(a.delivered).toEqual([]);
    });

    it("ignores data before the peer's incarnation is known", async () => {
      const { a } = await pair();
      const data = new Uint8Array(packet.DATA_HEAD_BYTES);
      packet.writeData(data, 21, 11, 0, 1);

      expect(a.channel.receive(data)).toBe(true);
      expect(a.delivered).toEqual([]);
    });
  });
});
