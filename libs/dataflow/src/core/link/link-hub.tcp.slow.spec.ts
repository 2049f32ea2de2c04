import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { Owner } from './link-hub.fixture.js';
import { tcp } from './tcp.js';
import { Proxy, until } from './tcp/tcp.fixture.js';

const identity = (name: string) => ({ app: 'test', name, token: 'secret', maxFrameBytes: 100_000 });
const numbers = (count: number, of: string): string[] => Array.from({ length: count }, (_, index) => `${of}: ${index}`);

describe('LinkHub over TCP', () => {
  it('loses nothing and repeats nothing, wherever the connection breaks', async () => {
    const plans = fc.record({
      /** For each connection, the number of bytes from `a` after which it breaks, including the handshake. */
      breaks: fc.array(fc.integer({ min: 1, max: 30_000 }), { maxLength: 5 }),
      messages: fc.integer({ min: 1, max: 2_000 }),
      /** Number of messages sent in one turn. */
      batch: fc.integer({ min: 1, max: 500 }),
    });
    await fc.assert(
      fc.asyncProperty(plans, async ({ breaks, messages, batch }) => {
        const a = await Owner.open('a', { transport: tcp(), identity: identity('a') });
        const b = await Owner.open('b', { transport: tcp(), identity: identity('b') });
        const proxy = await Proxy.open(b.hub.address);
        proxy.breaks = [...breaks];
        a.hub.connect('b', proxy.address);
        b.hub.connect('a');

        for (let sent = 0; sent < messages;) {
          for (let left = batch; left > 0 && sent < messages; left--, sent++) {
            a.send('b', `${sent}`);
            b.send('a', `${sent}`);
          }
          await nextTurn();
        }
        await until(() => a.messages.length >= messages && b.messages.length >= messages);
        expect(await Promise.all([a.hub.acked('b'), b.hub.acked('a')])).toEqual([true, true]);

        expect(a.messages).toEqual(numbers(messages, 'b'));
        expect(b.messages).toEqual(numbers(messages, 'a'));
        expect([a.errors, b.errors, a.warnings, b.warnings]).toEqual([[], [], [], []]);
        await Promise.all([a.hub.close(), b.hub.close()]);
        proxy.close();
      }),
      { numRuns: 25 },
    );
  }, 60_000);

  it('reports the peer that refuses it', async () => {
    const a = await Owner.open('a', { transport: tcp(), identity: { ...identity('a'), token: 'guess' } });
    const b = await Owner.open('b', { transport: tcp(), identity: identity('b') });

    a.hub.connect('b', b.hub.address);
    b.hub.connect('a');
    await until(() => a.news.length > 0 && b.warnings.length > 0);

    expect(a.news).toEqual(['b refused']);
    expect(a.details).toEqual([expect.stringContaining('No link with b: the tokens differ. Give every process')]);
    expect(b.news).toEqual([]);
    await Promise.all([a.hub.close(), b.hub.close()]);
  });
});
