import { ManualClock } from '@roost/time/testing';
import { DataflowError } from '../errors/dataflow.error.js';
import { bytesOf, textOf } from './channel.fixture.js';
import { HandshakeRefusedError } from './errors/handshake-refused.error.js';
import { LinkClosedError } from './errors/link-closed.error.js';
import { MessageHandlerError } from './errors/message-handler.error.js';
import { OversizedFrameError } from './errors/oversized-frame.error.js';
import { UnknownPeerError } from './errors/unknown-peer.error.js';
import { LinkHub, type LinkHubOptions } from './link-hub.js';
import { Owner } from './link-hub.fixture.js';
import { MemoryNetwork } from '../testing/memory-network.js';
import { SYNC_BYTES, writeSync } from './packet.js';
import type { Endpoint, TransportEvents } from './transport.js';

/** Two linked processes on a network that moves step by step. */
async function setup(options: Partial<LinkHubOptions> = {}) {
  const network = new MemoryNetwork({ manual: true });
  const clock = new ManualClock();
  const open = (name: string) => Owner.open(name, { transport: network, clock, ...options });
  const [a, b] = [await open('a'), await open('b')];
  a.hub.connect('b', b.hub.address);
  b.hub.connect('a');
  const settle = (): void => {
    for (let steps = 0; network.step(steps); steps++) if (steps > 10_000) throw new Error('does not settle');
  };
  settle();
  return { network, clock, open, a, b, settle };
}

/** A hub on a transport that the test controls. */
async function onFakeTransport(endpoint: Partial<Endpoint> = {}, options: Partial<LinkHubOptions> = {}) {
  let events!: TransportEvents;
  const owner = await Owner.open('a', {
    clock: new ManualClock(),
    transport: {
      open: (_self, given) => {
        events = given;
        return Promise.resolve({
          address: 'here',
          maxFrameBytes: 100,
          link: () => undefined,
          unlink: () => undefined,
          send: () => true,
          close: () => Promise.resolve(),
          ...endpoint,
        });
      },
    },
    ...options,
  });
  return { owner, hub: owner.hub, events };
}

describe('LinkHub', () => {
  it('sends messages both ways, including those sent before the peer is reachable', async () => {
    const network = new MemoryNetwork({ manual: true });
    const clock = new ManualClock();
    const a = await Owner.open('a', { transport: network, clock });
    a.hub.connect('b', 'b');
    a.send('b', 'early');
    const b = await Owner.open('b', { transport: network, clock });
    while (network.step());
    expect(b.messages).toEqual([]);

    b.hub.connect('a');
    b.send('a', 'hello');
    while (network.step());

    expect([a.messages, b.messages]).toEqual([['b: hello'], ['a: early']]);
    expect([a.news, b.news]).toEqual([['b up'], ['a up']]);
  });

  it('ignores a repeated connect', async () => {
    const { a, b, settle } = await setup();
    a.send('b', 'one');

    a.hub.connect('b', b.hub.address);
    settle();

    expect([b.messages, a.news]).toEqual([['a: one'], ['b up']]);
  });

  it('reports lost connections, and loses no message', async () => {
    const { network, a, b, settle } = await setup();
    a.send('b', 'one', 'two');
    network.cut('a', 'b', 1);
    settle();
    expect(a.hub.status('b')).toEqual({ state: 'waiting', unackedFrames: 2, unackedBytes: 6 });

    network.heal('a', 'b');
    settle();

    expect(b.messages).toEqual(['a: one', 'a: two']);
    expect(a.news).toEqual(['b up', 'b down', 'b up']);
    expect(a.details[1]).toBe('the network was cut');
  });

  it('resolves acked() when everything has been received', async () => {
    const { clock, a, settle } = await setup();
    a.send('b', 'one');
    const acked = a.hub.acked('b');
    settle();
    clock.advance(20);
    settle();

    expect(await acked).toBe(true);
    expect(await a.hub.acked('nobody')).toBe(false);
    expect(a.hub.status('b')).toEqual({ state: 'open', unackedFrames: 0, unackedBytes: 0 });
    expect(a.hub.status('nobody')).toBeUndefined();
  });

  it('reports a peer that falls silent and returns', async () => {
    const { network, clock, a, b, settle } = await setup({ heartbeatMs: 100, silenceMs: 500 });
    const pass = (ms: number): void => {
      for (let passed = 0; passed < ms; passed += 50) {
        clock.advance(50);
        settle();
      }
    };
    pass(10_000);
    expect([a.news, b.news]).toEqual([['b up'], ['a up']]);

    network.cut('a', 'b');
    settle();
    pass(600);
    expect([a.news, b.news]).toEqual([
      ['b up', 'b down', 'b silent'],
      ['a up', 'a down', 'a silent'],
    ]);

    network.heal('a', 'b');
    settle();
    expect(a.news.slice(3)).toEqual(['b alive', 'b up']);
  });

  it('pauses the link with a restarted peer until it is reset', async () => {
    const { network, open, a, settle } = await setup();
    a.send('b', 'one');
    network.kill('b');
    settle();
    const b = await open('b');
    b.hub.connect('a');
    settle();
    expect(a.news).toEqual(['b up', 'b down', 'b restarted']);
    expect(a.hub.status('b')?.state).toBe('restarted');

    expect(a.hub.reset('b').map(textOf)).toEqual(['one']);
    a.send('b', 'two');
    settle();

    expect(b.messages).toEqual(['a: two']);
    expect(a.news.at(-1)).toBe('b up');
    expect(a.hub.reset('nobody')).toEqual([]);
  });

  it('forgets a disconnected peer, which sees a new link as a restart', async () => {
    const { clock, a, b, settle } = await setup();
    a.send('b', 'never');
    a.hub.disconnect('b');
    a.hub.disconnect('b');
    settle();
    expect(() => a.send('b', 'lost')).toThrow(UnknownPeerError);
    expect(() => a.send('b', 'lost')).toThrow('There is no link with "b". Linked peers: none. Call connect() first.');

    a.hub.connect('b', 'b');
    a.send('b', 'again');
    settle();
    expect(b.news.at(-1)).toBe('a restarted');
    b.hub.reset('a');
    settle();

    expect(b.messages.at(-1)).toBe('a: again');
    await a.hub.close();
    await b.hub.close();
    expect(clock.pendingTimers).toBe(0);
  });

  it('rejects a message that is too long, and continues', async () => {
    const { a, b, settle } = await setup();
    const { maxMessageBytes } = a.hub;

    expect(() => a.hub.send('b', new Uint8Array(maxMessageBytes + 1))).toThrow(OversizedFrameError);
    a.hub.send('b', new Uint8Array(maxMessageBytes));
    settle();

    expect(b.messages).toHaveLength(1);
    expect(maxMessageBytes).toBe(1_000_000 - 25);
  });

  it('survives callbacks that throw', async () => {
    const boom = (): never => {
      throw new Error('boom');
    };
    const errors: DataflowError[] = [];
    const { a, b, network, settle } = await setup({
      onMessage: boom,
      onPeer: boom,
      onError: (error) => {
        errors.push(error);
        boom();
      },
    });
    a.send('b', 'one', 'two');

    settle();

    expect(errors).toEqual([expect.any(MessageHandlerError), expect.any(MessageHandlerError)]);
    expect(errors[0]).toMatchObject({ code: 'DATAFLOW_MESSAGE_HANDLER', peer: 'a', cause: new Error('boom') });
    expect(b.warnings).toContain('A link callback of "b" threw: boom');
    network.cut('a', 'b');
    settle();
    expect(a.hub.status('b')?.state).toBe('waiting');
  });

  it('survives a logger that throws', async () => {
    const warn = (): never => {
      throw new Error('full');
    };
    const { hub, events } = await onFakeTransport({}, { logger: { warn } });
    hub.connect('b');

    expect(() => events.frame('b', Uint8Array.of(99))).not.toThrow();
  });

  it('ends a link that has lost a frame for good, and reports it', async () => {
    const { owner, hub, events } = await onFakeTransport();
    hub.connect('b');
    const sync = new Uint8Array(SYNC_BYTES);
    writeSync(sync, { from: 7, to: 0, received: 0, oldest: 9, ask: 1, answer: 0 });
    events.up('b');

    events.frame('b', sync);

    expect(owner.errors).toMatchObject([{ code: 'DATAFLOW_EDGE_LOSS', peer: 'b', expected: 1, seen: 9 }]);
    expect(hub.status('b')?.state).toBe('ended');
    expect(() => hub.send('b', bytesOf('into the void'))).not.toThrow();
  });

  it('logs every refusal, and reports a refusal by a peer', async () => {
    const { owner, hub, events } = await onFakeTransport();
    hub.connect('b');

    events.failed(new HandshakeRefusedError('10.0.0.9:7', 'token'));
    events.failed(new HandshakeRefusedError('"b"', 'app'), 'b');
    events.failed(new HandshakeRefusedError('"c"', 'app'), 'c');
    events.failed(new DataflowError('DATAFLOW_X', 'passes'), 'b');
    events.frame('b', Uint8Array.of(99));

    expect(owner.news).toEqual(['b refused']);
    expect(owner.warnings).toHaveLength(5);
    expect(owner.warnings[0]).toContain('No link with 10.0.0.9:7: the tokens differ.');
    expect(owner.warnings[4]).toContain('b sent a malformed frame');
  });

  it('survives a transport that throws', async () => {
    const send = (): never => {
      throw new Error('broken pipe');
    };
    const { owner, hub, events } = await onFakeTransport({ send, close: () => Promise.reject(new Error('stuck')) });
    hub.connect('b');
    events.up('b');
    hub.send('b', bytesOf('kept'));

    expect(owner.warnings).toEqual(['The transport could not send to "b": broken pipe']);
    await hub.close();
    expect(owner.warnings.at(-1)).toBe('Could not close the transport of "a": stuck');
  });

  it('ignores peers without connect()', async () => {
    const { owner, events } = await onFakeTransport();

    events.up('stranger');
    events.frame('stranger', Uint8Array.of(99));
    events.down('stranger', 'bored');

    expect([owner.news, owner.warnings]).toEqual([[], []]);
  });

  it('runs no callback after close, and leaves no timer', async () => {
    const { network, clock, a, b, settle } = await setup();
    b.send('a', 'one');
    a.send('b', 'last words');
    const acked = a.hub.acked('b');

    const closed = a.hub.close();

    expect(a.hub.close()).toBe(closed);
    await closed;
    expect(await acked).toBe(false);
    expect(await a.hub.acked('b')).toBe(false);
    settle();
    expect(b.messages).toEqual(['a: last words']);
    expect([a.messages, a.news]).toEqual([[], ['b up']]);
    expect(() => a.hub.connect('c')).toThrow(LinkClosedError);
    a.hub.send('b', bytesOf('too late'));
    a.hub.disconnect('b');
    await b.hub.close();
    expect([clock.pendingTimers, network.pending]).toEqual([0, []]);
  });

  it('ignores events of the transport after close', async () => {
    const { owner, hub, events } = await onFakeTransport();
    hub.connect('b');
    const closed = hub.close();

    events.up('b');
    events.frame('b', Uint8Array.of(99));
    events.down('b', 'gone');
    events.failed(new HandshakeRefusedError('"b"', 'app'), 'b');
    await closed;

    expect([owner.news, owner.warnings, owner.errors]).toEqual([[], [], []]);
  });

  it('rejects invalid options', async () => {
    const options = { transport: new MemoryNetwork(), heartbeatMs: 1_000, silenceMs: 2_999 };

    await expect(Owner.open('a', options)).rejects.toThrow('`silenceMs` is 2999');
  });

  it('rejects a peer without a name', async () => {
    const { hub } = await onFakeTransport();

    expect(() => hub.connect('')).toThrow('connect(peer)');
  });

  it('forwards the error of a transport that cannot be opened', async () => {
    const transport = { open: () => Promise.reject(new DataflowError('DATAFLOW_X', 'taken')) };

    await expect(
      LinkHub.open({ ...({} as LinkHubOptions), transport, identity: { app: 'x', name: 'a', maxFrameBytes: 99 } }),
    ).rejects.toThrow('taken');
  });
});
