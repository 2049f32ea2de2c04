import { bytesOf, pair, textOf } from './channel.fixture.js';
import * as packet from './packet.js';

describe('Channel with a restarted peer', () => {
  it('pauses until it is reset, and returns the messages that were not acknowledged', async () => {
    const { a, b, network, settle } = await pair();
    settle();
    a.send('one');
    settle();
    a.send('two');
    network.kill('b');
    a.send('three');

    await b.start(22);
    settle();

    expect(a.told).toEqual(['opened', 'restarted as 22']);
    expect([a.channel.state, b.channel.state]).toEqual(['restarted', 'asking']);
    a.send('four');
    b.send('early');
    settle();
    expect([a.delivered, b.delivered]).toEqual([[], ['one']]);
    const received = a.channel.acked();

    expect(a.channel.reset().map(textOf)).toEqual(['one', 'two', 'three', 'four']);

    expect(await received).toBe(false);
    a.send('five');
    settle();
    expect([a.delivered, b.delivered]).toEqual([['early'], ['one', 'five']]);
    expect([a.told.at(-1), b.told]).toEqual(['opened', ['opened', 'opened']]);
  });

  it('can be reset inside the callback', async () => {
    const { a, b, network, settle } = await pair();
    settle();
    a.onRestart = () => {
      expect(a.channel.reset()).toEqual([]);
      a.send('welcome back');
    };
    network.kill('b');

    await b.start(22);
    settle();

    expect(b.delivered).toEqual(['welcome back']);
  });

  it('reports each further restart, and resets to the last', async () => {
    const { a, b, network, settle } = await pair();
    settle();
    for (const life of [22, 23]) {
      network.kill('b');
      await b.start(life);
      settle();
    }

    expect(a.told).toEqual(['opened', 'restarted as 22', 'restarted as 23']);
    a.channel.reset();
    a.send('hello');
    settle();
    expect(b.delivered).toEqual(['hello']);
  });

  it('ignores frames of an earlier incarnation', async () => {
    const { a, b, network, settle } = await pair();
    settle();
    b.send('from the grave');
    const data = new Uint8Array(packet.DATA_HEAD_BYTES);
    packet.writeData(data, 21, 11, 0, 1);
    const sync = new Uint8Array(packet.SYNC_BYTES);
    packet.writeSync(sync, { from: 21, to: 11, received: 0, oldest: 1, ask: 7, answer: 0 });
    network.kill('b');
    await b.start(22);
    settle();
    expect(a.channel.receive(data)).toBe(true);
    a.channel.reset();
    settle();

    expect([a.channel.receive(sync), a.channel.receive(data)]).toEqual([true, true]);
    settle();

    expect([a.channel.state, a.delivered]).toEqual(['open', []]);
    expect(a.told.filter((word) => word.startsWith('restarted'))).toEqual(['restarted as 22']);
  });

  it('ignores a reset without a restart', async () => {
    const { a, b, settle } = await pair();
    settle();
    a.send('one');

    expect(a.channel.reset()).toEqual([]);

    settle();
    expect(b.delivered).toEqual(['one']);
  });

  it('stays paused while the connection breaks and returns', async () => {
    const { a, b, network, settle } = await pair();
    settle();
    network.kill('b');
    await b.start(22);
    settle();

    network.cut('a', 'b');
    settle();
    expect(a.channel.state).toBe('restarted');
    a.channel.reset();
    expect(a.channel.state).toBe('waiting');
    a.send('one');
    network.heal('a', 'b');
    settle();

    expect(b.delivered).toEqual(['one']);
  });

  it('returns the original bytes, not copies', async () => {
    const { a, b, network, settle } = await pair();
    settle();
    const bytes = bytesOf('mine');
    a.channel.send(bytes);
    network.kill('b');
    await b.start(22);
    settle();

    expect(a.channel.reset()[0]).toBe(bytes);
  });
});
