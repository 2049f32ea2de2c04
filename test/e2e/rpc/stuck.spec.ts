import { createConnection } from 'node:net';
import { beginDrain, clientOf, launch } from './rpc-app.js';
import { TARGETS, useBrokers } from './transports.js';

const brokers = useBrokers();

const FAILED = { code: 1, signal: null };

describe.each(TARGETS)('$transport, $kind: a handler that never ends', (target) => {
  it('is cut off after maxWaitMs and named with exit code 1, while a concurrent one is answered', async () => {
    const plan = brokers.plan(target, { drain: { maxWaitMs: 1_000 } });
    const app = await launch(plan);
    const client = await clientOf(app, plan);
    void client.ask('hang');
    const good = client.ask('slow', 1);
    await app.line(/^at:hang$/);
    await app.line(/^at:slow-1$/);
    await beginDrain(app);
    app.send('go slow-1');
    expect(await good).toEqual({ values: ['a slow 1, resource open'] });
    expect(await app.end()).toEqual(FAILED);
    expect(app.output).toMatch(/Cut off after waiting 1 s: message hang \(/);
    expect(app.lines(/^resource closed$/)).toHaveLength(1);
  });
});

describe("tcp: a reply larger than the connection's buffers", () => {
  const MEGABYTES = 24;

  /** Requests a large reply and does not read it. */
  const askAndWait = async (app: Awaited<ReturnType<typeof launch>>) => {
    const socket = createConnection(Number(app.lines(/^port /)[0]!.slice(5)), '127.0.0.1');
    socket.pause();
    const message = JSON.stringify({ pattern: 'big', data: MEGABYTES, id: 'x' });
    socket.write(`${message.length}#${message}`);
    await app.line(/^at:big$/);
    await beginDrain(app);
    app.send('go big');
    // The handler has finished, and only its reply is outstanding.
    await app.line(/waiting for .*reply to 127\.0\.0\.1:/);
    return socket;
  };

  it('is sent completely to a caller that reads late', async () => {
    const app = await launch(brokers.plan({ transport: 'tcp', kind: 'standalone' }));
    const socket = await askAndWait(app);
    let bytes = 0;
    for await (const chunk of socket) bytes += (chunk as Buffer).length;
    expect(bytes).toBeGreaterThan(MEGABYTES * 1024 * 1024);
    expect(await app.end()).toEqual({ code: 0, signal: null });
  });

  it('is cut off after maxWaitMs and named when the caller never reads', async () => {
    const app = await launch(brokers.plan({ transport: 'tcp', kind: 'standalone' }, { drain: { maxWaitMs: 2_500 } }));
    const socket = await askAndWait(app);
    expect(await app.end()).toEqual(FAILED);
    expect(app.output).toMatch(/Cut off after waiting 2\.5 s: reply to 127\.0\.0\.1:/);
    socket.destroy();
  });
});
