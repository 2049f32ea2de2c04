import { setTimeout as after } from 'node:timers/promises';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { LinkHub, OversizedFrameError } from '@roost/dataflow/link';
import { BrokerError, nats } from '@roost/dataflow/nats';
import { type Broker, freePort, installBrokers, startNats } from '../../support/brokers.js';
import { until } from '../../support/until.js';

let broker: Broker;
const open: { close(): Promise<unknown> }[] = [];

beforeAll(installBrokers, 300_000);

beforeEach(async () => {
  broker = await startNats();
});

afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()));
  await broker.stop();
});

/** A process on the broker that records its callbacks. */
class Process {
  readonly messages: string[] = [];
  readonly news: string[] = [];
  readonly warnings: string[] = [];
  hub!: LinkHub;

  static async open(name: string, app = 'shop'): Promise<Process> {
    const self = new Process();
    self.hub = await LinkHub.open({
      transport: nats({ servers: `127.0.0.1:${broker.port}` }),
      identity: { app, name, maxFrameBytes: 16 * 1024 * 1024 },
      logger: { warn: (line) => self.warnings.push(line) },
      heartbeatMs: 200,
      silenceMs: 1_000,
      onMessage: (_peer, bytes) => self.messages.push(Buffer.from(bytes).toString()),
      onPeer: (peer, event) => self.news.push(`${peer} ${event}`),
      onError: (error) => self.warnings.push(error.message),
    });
    open.push(self.hub);
    return self;
  }

  send(peer: string, text: string): void {
    this.hub.send(peer, Buffer.from(text));
  }
}

async function linked(names: readonly [string, string] = ['a', 'b']): Promise<[Process, Process]> {
  const [a, b] = [await Process.open(names[0]), await Process.open(names[1])];
  a.hub.connect(names[1]);
  b.hub.connect(names[0]);
  await until('the link', () => a.news.includes(`${names[1]} up`) && b.news.includes(`${names[0]} up`));
  return [a, b];
}

const rawClient = async (): Promise<NatsConnection> => {
  const client = await connect({ servers: `127.0.0.1:${broker.port}` });
  open.push(client);
  return client;
};

const numbers = (count: number): string[] => Array.from({ length: count }, (_, index) => `${index}`);

describe('links over NATS', () => {
  it('carry every message once and in order, both ways', async () => {
    const [a, b] = await linked(['shop.front *', 'back > end é']);

    for (const text of numbers(20_000)) {
      a.send('back > end é', text);
      b.send('shop.front *', text);
    }
    await until('all messages', () => a.messages.length >= 20_000 && b.messages.length >= 20_000);

    expect([a.messages, b.messages]).toEqual([numbers(20_000), numbers(20_000)]);
    expect(await a.hub.acked('back > end é')).toBe(true);
    expect([a.warnings, b.warnings]).toEqual([[], []]);
  });

  it('keep messages to a process that has not started yet', async () => {
    const a = await Process.open('a');
    a.hub.connect('b');
    a.send('b', 'early');
    const b = await Process.open('b');

    b.hub.connect('a');
    await until('the message', () => b.messages.length > 0);

    expect(b.messages).toEqual(['early']);
  });

  it('lose nothing and repeat nothing when the broker stops and returns', async () => {
    const [a, b] = await linked();
    const { port } = broker;
    let sent = 0;
    const sendSome = async (rounds: number): Promise<void> => {
      for (let round = 0; round < rounds; round++) {
        for (let count = 0; count < 100; count++, sent++) {
          a.send('b', `${sent}`);
          b.send('a', `${sent}`);
        }
        await after(1);
      }
    };

    for (let outage = 0; outage < 3; outage++) {
      const sending = sendSome(100);
      await until('some messages', () => b.messages.length > outage * 10_000);
      await broker.stop();
      await until('the loss', () => a.news.at(-1) === 'b down' && b.news.at(-1) === 'a down');
      broker = await startNats(port);
      await sending;
    }
    await until('all messages', () => a.messages.length >= sent && b.messages.length >= sent);

    expect(a.messages).toEqual(numbers(sent));
    expect(b.messages).toEqual(numbers(sent));
    expect(await Promise.all([a.hub.acked('b'), b.hub.acked('a')])).toEqual([true, true]);
  }, 60_000);

  it('report a lost process and its restart', async () => {
    const [a, b] = await linked();
    await b.hub.close();
    await until('the silence', () => a.news.includes('b silent'));
    a.send('b', 'to whom');

    const second = await Process.open('b');
    second.hub.connect('a');
    await until('the restart', () => a.news.includes('b restarted'));
    expect(a.hub.reset('b').map((bytes) => Buffer.from(bytes).toString())).toEqual(['to whom']);
    a.send('b', 'welcome');
    await until('the message', () => second.messages.length > 0);

    expect(second.messages).toEqual(['welcome']);
    expect(a.news).toEqual(['b up', 'b silent', 'b alive', 'b restarted', 'b up']);
  });

  it('deliver a message sent right before close', async () => {
    const [a, b] = await linked();

    a.send('b', 'last words');
    await a.hub.close();
    await until('the message', () => b.messages.length > 0);

    expect(b.messages).toEqual(['last words']);
  });

  it("reject a message over the broker's limit, and name the limit", async () => {
    const [a, b] = await linked();
    const limit = 1024 * 1024 - 25;
    expect(a.hub.maxMessageBytes).toBe(limit);

    expect(() => a.hub.send('b', new Uint8Array(limit + 1))).toThrow(OversizedFrameError);
    expect(() => a.hub.send('b', new Uint8Array(limit + 1))).toThrow(`exceeds the limit of ${limit}`);
    a.hub.send('b', new Uint8Array(limit));
    await until('the message', () => b.messages.length > 0);

    expect(b.messages[0]).toHaveLength(limit);
  });

  it('of two dataflows on one broker are separate', async () => {
    const [a, b] = await linked();
    const other = await Process.open('b', 'shop2');
    other.hub.connect('a');

    a.send('b', 'for b of shop');
    await until('the message', () => b.messages.length > 0);
    await other.hub.close();

    expect([other.messages, other.news]).toEqual([[], []]);
  });

  it('ignore other messages on their subjects', async () => {
    const [a, b] = await linked();
    const client = await rawClient();

    client.publish('roost.df.shop.b.a', Buffer.from('garbage'));
    client.publish('roost.df.shop.b.a', new Uint8Array());
    client.publish('roost.df.shop.b.stranger', Buffer.from('garbage'));
    client.publish('roost.df.shop.b.%', Buffer.from('garbage'));
    await client.flush();
    a.send('b', 'hello');
    await until('the message', () => b.messages.length > 0);

    expect(b.messages).toEqual(['hello']);
    expect(b.warnings).toHaveLength(2);
    expect(b.warnings[0]).toContain('a sent a malformed frame');
  });

  it('close in time when the broker is killed or frozen', async () => {
    const [a, b] = await linked();
    await broker.freeze();
    a.send('b', 'stuck');
    await a.hub.close();
    await broker.kill();
    await until('the loss', () => b.news.at(-1) === 'a down');

    await b.hub.close();

    expect(b.messages).toEqual([]);
  });

  it('cannot be opened without a broker, and do not reveal the password', async () => {
    const identity = { app: 'shop', name: 'a', maxFrameBytes: 100 };
    const servers = `nats://user:hidden@127.0.0.1:${await freePort()}`;

    const refused = nats({ servers }).open(identity, {} as never);

    await expect(refused).rejects.toThrow(BrokerError);
    await expect(refused).rejects.toThrow(/^NATS at nats:\/\/127\.0\.0\.1:\d+ cannot be used: /);
    await expect(refused).rejects.not.toThrow('hidden');
  });
});
