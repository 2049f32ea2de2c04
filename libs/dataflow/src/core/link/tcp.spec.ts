import { ManualClock } from '@roost/time/testing';
import { bytesOf } from './channel.fixture.js';
import { CannotListenError } from './errors/cannot-listen.error.js';
import { tcp } from './tcp.js';
import { Proxy, Recorder, until } from './tcp/tcp.fixture.js';

const open: { close(): unknown }[] = [];

afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

const opened = async (...args: Parameters<typeof Recorder.open>): Promise<Recorder> => {
  const recorder = await Recorder.open(...args);
  open.push(recorder.endpoint);
  return recorder;
};

/** Two connected processes, where `a` has dialled. */
async function connected(): Promise<{ a: Recorder; b: Recorder }> {
  const [a, b] = [await opened('a'), await opened('b')];
  a.endpoint.link('b', b.endpoint.address);
  await until(() => a.count('b up') === 1 && b.count('a up') === 1);
  return { a, b };
}

const hello = bytesOf('hello');

describe('tcp', () => {
  it('carries frames both ways, in order', async () => {
    const { a, b } = await connected();
    for (let index = 0; index < 1_000; index++)
      a.endpoint.send('b', bytesOf(`${index} `), bytesOf('x'.repeat(index % 300)));
    b.endpoint.send('a', hello);

    await until(() => b.frames.length === 1_000 && a.frames.length === 1);

    expect(b.frames.map(String)).toEqual(
      Array.from({ length: 1_000 }, (_, index) => `${index} ${'x'.repeat(index % 300)}`),
    );
    expect(String(a.frames[0])).toBe('hello');
  });

  it('lets the caller reuse the head of a frame immediately', async () => {
    const { a, b } = await connected();
    const head = bytesOf('1');

    a.endpoint.send('b', head);
    head[0] = 0x32;
    a.endpoint.send('b', head);
    await until(() => b.frames.length === 2);

    expect(b.frames.map(String)).toEqual(['1', '2']);
  });

  it('carries long frames unchanged', async () => {
    const limit = { maxFrameBytes: 5_000_000 };
    const [a, b] = [await opened('a', {}, limit), await opened('b', {}, limit)];
    a.endpoint.link('b', b.endpoint.address);
    await until(() => a.count('b up') === 1);
    const bodies = [5, 8_192, 8_193, 70_000, 4_999_000, 3].map((length, index) => new Uint8Array(length).fill(index));

    for (const body of bodies) a.endpoint.send('b', hello, body);
    await until(() => b.frames.length === bodies.length);

    bodies.forEach((body, index) => expect(b.frames[index]!.equals(Buffer.concat([hello, body]))).toBe(true));
  });

  it('sends nothing without a connection', async () => {
    const a = await opened('a');
    a.endpoint.link('b');

    expect(a.endpoint.send('b', hello)).toBe(false);
    expect(a.endpoint.send('nobody', hello)).toBe(false);
  });

  it('waits for a peer that does not listen yet', async () => {
    const clock = new ManualClock();
    const early = await opened('b');
    const { address } = early.endpoint;
    await early.endpoint.close();
    const a = await opened('a', { clock });
    a.endpoint.link('b', address);
    await until(() => clock.nextTimerInMs === 10);

    const b = await opened('b', { port: Number(address.split(':')[1]) });
    clock.runNext();
    await until(() => a.count('b up') === 1);

    expect(a.errors).toEqual([]);
    expect(b.endpoint.address).toBe(address);
  });

  it('reconnects after a broken connection', async () => {
    const [a, b] = [await opened('a'), await opened('b')];
    const proxy = await Proxy.open(b.endpoint.address);
    open.push(proxy);
    a.endpoint.link('b', proxy.address);
    await until(() => a.count('b up') === 1 && b.count('a up') === 1);

    proxy.cut();
    await until(() => b.count('a up') === 2 && a.count('b up') === 2);

    expect(a.events).toEqual(['b up', 'b down', 'b up']);
    a.endpoint.send('b', hello);
    await until(() => b.frames.length === 1);
  });

  it('dials again with backoff, and resets it after a stable connection', async () => {
    const clock = new ManualClock();
    const [a, b] = [await opened('a', { clock }), await opened('b')];
    const proxy = await Proxy.open(b.endpoint.address);
    open.push(proxy);
    a.endpoint.link('b', proxy.address);
    const waits: (number | undefined)[] = [];

    for (let attempt = 1; attempt <= 8; attempt++) {
      await until(() => a.count('b up') === attempt);
      if (attempt === 8) clock.advance(1_000);
      proxy.cut();
      await until(() => a.count('b down') === attempt && clock.pendingTimers === 1);
      waits.push(clock.nextTimerInMs);
      clock.runNext();
    }

    expect(waits).toEqual([10, 20, 40, 80, 160, 320, 500, 10]);
  });

  it('ignores a repeated link call', async () => {
    const { a, b } = await connected();

    a.endpoint.link('b', b.endpoint.address);
    a.endpoint.link('b');
    b.endpoint.link('a');
    a.endpoint.send('b', hello);
    await until(() => b.frames.length === 1);

    expect([a.count('b up'), b.count('a up')]).toEqual([1, 1]);
  });

  it('moves to a new address', async () => {
    const { a, b } = await connected();
    const moved = await opened('b');

    a.endpoint.link('b', moved.endpoint.address);
    await until(() => a.count('b up') === 2);
    a.endpoint.send('b', hello);
    await until(() => moved.frames.length === 1 && b.count('a down') === 1);

    expect(a.events).toEqual(['b up', 'b down', 'b up']);
    expect(b.frames).toEqual([]);
  });

  it('moves to a new address when the first one never answered', async () => {
    const [a, b] = [await opened('a'), await opened('b')];
    a.endpoint.link('b', '127.0.0.1:1');

    a.endpoint.link('b', b.endpoint.address);
    await until(() => a.count('b up') === 1);

    expect(() => a.endpoint.link('b', 'nonsense')).toThrow('must be host:port');
  });

  it('replaces a connection with a newer one of the same peer', async () => {
    const { a, b } = await connected();
    const second = await opened('a');

    second.endpoint.link('b', b.endpoint.address);
    await until(() => b.count('a up') >= 2);

    expect(b.events.slice(0, 3)).toEqual(['a up', 'a down', 'a up']);
    await until(() => a.count('b down') >= 1);
  });

  it('settles on one connection when both sides dial', async () => {
    const [a, b] = [await opened('a'), await opened('b')];
    const frame = bytesOf('on the connection that stays');

    a.endpoint.link('b', b.endpoint.address);
    b.endpoint.link('a', a.endpoint.address);

    // The connection of a stays. The connection of b may be established first, and is lost with its frames.
    await until(() => a.endpoint.send('b', frame) && b.frames.length > 0);
    await until(() => b.endpoint.send('a', frame) && a.frames.length > 0);
    await until(() => a.count('b up') - a.count('b down') === 1 && b.count('a up') - b.count('a down') === 1);
    expect(a.count('b up') + b.count('a up')).toBeLessThanOrEqual(4);
  });

  it("replaces its own connection with the peer's when its own is old", async () => {
    const clock = new ManualClock();
    const [a, b, later] = [await opened('a', { clock }), await opened('b'), await opened('b')];
    a.endpoint.link('b', b.endpoint.address);
    await until(() => a.count('b up') === 1);
    clock.advance(1_000);

    later.endpoint.link('a', a.endpoint.address);
    await until(() => a.count('b up') === 2);

    a.endpoint.send('b', hello);
    await until(() => later.frames.length === 1);
  });

  it('unlinks after all sent frames, and dials no more', async () => {
    const { a, b } = await connected();
    a.endpoint.send('b', hello);

    a.endpoint.unlink('b');
    expect(a.endpoint.send('b', hello)).toBe(false);
    a.endpoint.unlink('b');
    await until(() => a.count('b down') === 1 && b.count('a down') === 1);

    expect(b.events).toEqual(['a up', 'a frame', 'a down']);
    expect(a.events).toEqual(['b up', 'b down']);
  });

  it('closes after all frames sent on a link that was just unlinked', async () => {
    const limit = { maxFrameBytes: 10_000_000 };
    const [a, b] = [await opened('a', {}, limit), await opened('b', {}, limit)];
    a.endpoint.link('b', b.endpoint.address);
    await until(() => a.count('b up') === 1);
    a.endpoint.send('b', new Uint8Array(9_000_000));

    a.endpoint.unlink('b');
    await a.endpoint.close();
    await until(() => b.count('a down') === 1);

    expect(b.frames[0]).toHaveLength(9_000_000);
  });

  it('gives up a pending attempt when it is unlinked', async () => {
    const clock = new ManualClock();
    const [a, b] = [await opened('a', { clock }), await opened('b')];

    a.endpoint.link('b', b.endpoint.address);
    a.endpoint.unlink('b');
    await until(() => clock.pendingTimers === 0);

    expect(a.events).toEqual([]);
  });

  it('closes once, after all sent frames', async () => {
    const limit = { maxFrameBytes: 10_000_000 };
    const [a, b] = [await opened('a', {}, limit), await opened('b', {}, limit)];
    a.endpoint.link('b', b.endpoint.address);
    await until(() => a.count('b up') === 1);
    a.endpoint.send('b', new Uint8Array(9_000_000));

    const closed = a.endpoint.close();

    expect(a.endpoint.close()).toBe(closed);
    expect(a.endpoint.send('b', hello)).toBe(false);
    a.endpoint.link('c', '127.0.0.1:1');
    await closed;
    await until(() => b.count('a down') === 1);
    expect(b.frames[0]).toHaveLength(9_000_000);
  });

  it('names the address on which it cannot listen', async () => {
    const a = await opened('a');
    const port = Number(a.endpoint.address.split(':')[1]);

    await expect(opened('b', { port })).rejects.toThrow(CannotListenError);
    await expect(opened('b', { port })).rejects.toThrow(
      /^Cannot listen on 127\.0\.0\.1:\d+: .*EADDRINUSE.* Choose another port/,
    );
    expect(() => tcp({ port: 70_000 })).toThrow('`tcp.port` is 70000, but must be a whole number >= 0 and <= 65535.');
  });

  it('requires a token to listen for other machines', async () => {
    const identity = { app: 'test', name: 'a', maxFrameBytes: 100 };

    await expect(tcp({ host: '0.0.0.0' }).open(identity, {} as never)).rejects.toThrow(
      '`token` is undefined, but must be a secret that all processes share',
    );
    const a = await opened('a', { host: '0.0.0.0', advertisedHost: 'localhost' });
    expect(a.endpoint.address).toMatch(/^localhost:\d+$/);
  });
});
