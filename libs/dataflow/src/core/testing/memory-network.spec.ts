import { setImmediate as nextTurn } from 'node:timers/promises';
import { bytesOf, textOf } from '../link/channel.fixture.js';
import { LinkClosedError } from '../link/errors/link-closed.error.js';
import { MemoryNetwork } from './memory-network.js';
import type { Endpoint } from '../link/transport.js';

async function open(network: MemoryNetwork, name: string): Promise<{ endpoint: Endpoint; events: string[] }> {
  const events: string[] = [];
  const endpoint = await network.open(
    { app: 'test', name, maxFrameBytes: 100 },
    {
      frame: (peer, bytes) => events.push(`${peer}: ${textOf(bytes)}`),
      up: (peer) => events.push(`${peer} up`),
      down: (peer, why) => events.push(`${peer} down: ${why}`),
      failed: () => events.push('failed'),
    },
  );
  return { endpoint, events };
}

async function setup(options = { manual: true }) {
  const network = new MemoryNetwork(options);
  const [a, b] = [await open(network, 'a'), await open(network, 'b')];
  const settle = (): void => {
    while (network.step());
  };
  return { network, a, b, settle };
}

const hello = bytesOf('hello');

describe('MemoryNetwork', () => {
  it('connects two endpoints when one of them links', async () => {
    const { a, b, settle } = await setup();
    settle();
    expect(a.endpoint.send('b', hello)).toBe(false);

    a.endpoint.link('b');
    expect(a.events).toEqual([]);
    settle();

    expect([a.events, b.events]).toEqual([['b up'], ['a up']]);
    expect(b.endpoint.send('a', bytesOf('he'), bytesOf('llo'))).toBe(true);
    expect(a.events).toEqual(['b up']);
    settle();
    expect(a.events).toEqual(['b up', 'b: hello']);
  });

  it('connects with an endpoint that opens later', async () => {
    const { network, a, settle } = await setup();
    a.endpoint.link('c');
    settle();

    const c = await open(network, 'c');
    settle();

    expect([a.events, c.events]).toEqual([['c up'], ['a up']]);
  });

  it('lets the test choose the direction that moves', async () => {
    const { network, a, b } = await setup();
    a.endpoint.link('b');

    expect(network.pending).toEqual([
      { from: 'a', to: 'b', underWay: 1 },
      { from: 'b', to: 'a', underWay: 1 },
    ]);
    network.step(1);

    expect([a.events, b.events]).toEqual([['b up'], []]);
    expect([network.step(7), network.step()]).toEqual([true, false]);
  });

  it('moves automatically without manual', async () => {
    const { a, b } = await setup({ manual: false });
    a.endpoint.link('b');
    await nextTurn();
    a.endpoint.send('b', hello);
    expect(b.events).toEqual(['a up']);
    await nextTurn();

    expect(b.events).toEqual(['a up', 'a: hello']);
  });

  it('loses all frames after the given number when it is cut', async () => {
    const { network, a, b, settle } = await setup();
    a.endpoint.link('b');
    settle();
    for (const text of ['1', '2', '3']) a.endpoint.send('b', bytesOf(text));
    b.endpoint.send('a', hello);

    network.cut('a', 'b', 2);
    expect(a.endpoint.send('b', bytesOf('into the void'))).toBe(true);
    settle();

    expect(b.events).toEqual(['a up', 'a: 1', 'a: 2', 'a down: the network was cut']);
    expect(a.events).toEqual(['b up', 'b down: the network was cut']);
    expect(a.endpoint.send('b', hello)).toBe(false);
    network.heal('b', 'a');
    network.heal('b', 'a');
    settle();
    expect(b.events.at(-1)).toBe('a up');
  });

  it('keeps a cut for later links', async () => {
    const { network, a, settle } = await setup();
    network.cut('a', 'b');
    a.endpoint.link('b');
    settle();

    expect(a.events).toEqual([]);
  });

  it('loses and repeats single frames', async () => {
    const { network, a, b, settle } = await setup();
    a.endpoint.link('b');
    network.lose('a', 'b');
    network.repeat('a', 'b');
    settle();
    for (const text of ['1', '2', '3']) a.endpoint.send('b', bytesOf(text));

    network.lose('a', 'b');
    network.repeat('a', 'b');
    settle();

    expect(b.events).toEqual(['a up', 'a: 2', 'a: 3', 'a: 2']);
  });

  it('delivers nothing of an earlier endpoint to a new one', async () => {
    const { network, a, b, settle } = await setup();
    a.endpoint.link('b');
    settle();
    a.endpoint.send('b', hello);
    b.endpoint.send('a', hello);

    const second = await open(network, 'b');
    settle();

    expect(second.events).toEqual(['a up']);
    expect(a.events).toEqual(['b up', 'b down: b was killed', 'b up']);
    expect(b.endpoint.send('a', hello)).toBe(false);
    expect(() => b.endpoint.link('a')).toThrow(LinkClosedError);
    network.kill('nobody');
  });

  it('closes after all sent frames', async () => {
    const { network, a, b, settle } = await setup();
    a.endpoint.link('b');
    settle();
    a.endpoint.send('b', hello);

    await a.endpoint.close();
    await a.endpoint.close();
    a.endpoint.unlink('b');
    settle();

    expect(b.events).toEqual(['a up', 'a: hello', 'a down: a is closed']);
    expect([a.events, network.pending]).toEqual([['b up'], []]);
  });

  it('unlinks, and links again if the other side still wants the link', async () => {
    const { a, b, settle } = await setup();
    a.endpoint.link('b');
    settle();
    a.endpoint.unlink('b');
    settle();
    expect(a.events).toEqual(['b up', 'b down: unlinked']);

    b.endpoint.link('a');
    settle();
    a.endpoint.unlink('b');
    settle();

    expect(a.events.slice(2)).toEqual(['b up', 'b down: unlinked', 'b up']);
  });
});
