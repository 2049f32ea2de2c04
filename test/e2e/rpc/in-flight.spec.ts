import { beginDrain, clientOf, launch } from './rpc-app.js';
import { TARGETS, useBrokers } from './transports.js';

const brokers = useBrokers();

const CLEAN = { code: 0, signal: null };

describe.each(TARGETS)('$transport, $kind: work in flight at SIGTERM', (target) => {
  it('answers a message before the process exits, with its resource open', async () => {
    const plan = brokers.plan(target);
    const app = await launch(plan);
    const client = await clientOf(app, plan);
    const reply = client.ask('slow', 1);
    await app.line(/^at:slow-1$/);
    await beginDrain(app);
    app.send('go slow-1');
    expect(await reply).toEqual({ values: ['a slow 1, resource open'] });
    expect(await app.end()).toEqual(CLEAN);
    expect(app.output).toMatch(/all requests have been answered: 1 since startup, 0 refused/);
    expect(app.lines(/^resource closed$/)).toHaveLength(1);
  });

  it('answers all of 20 messages', async () => {
    const plan = brokers.plan(target);
    const app = await launch(plan);
    const client = await clientOf(app, plan);
    const ids = Array.from({ length: 20 }, (_, id) => id);
    const replies = ids.map((id) => client.ask('slow', id));
    for (const id of ids) await app.line(new RegExp(`^at:slow-${id}$`));
    await beginDrain(app);
    expect(app.output).toMatch(/stopped accepting new work: 20 in flight, oldest message slow/);
    app.send('go all');
    expect(await Promise.all(replies)).toEqual(ids.map((id) => ({ values: [`a slow ${id}, resource open`] })));
    expect(await app.end()).toEqual(CLEAN);
  });

  it('completes a reply of several values', async () => {
    const plan = brokers.plan(target);
    const app = await launch(plan);
    const client = await clientOf(app, plan);
    const reply = client.ask('stream');
    await app.line(/^at:stream-1$/);
    await beginDrain(app);
    app.send('go stream-1');
    await app.line(/^at:stream-2$/);
    app.send('go stream-2');
    expect(await reply).toEqual({ values: ['value 0', 'value 1', 'value 2', 'value 3'] });
    expect(await app.end()).toEqual(CLEAN);
  });

  it('delivers failures, after a value and from a handler that rejects', async () => {
    const plan = brokers.plan(target);
    const app = await launch(plan);
    const client = await clientOf(app, plan);
    const failed = (message: string) => ({ status: 'error', message });
    expect(await client.ask('failing')).toEqual({ values: [], error: failed('failed at once') });
    const replies = [client.ask('stream-failing'), client.ask('rejecting')];
    await app.line(/^at:stream-failing$/);
    await app.line(/^at:rejecting$/);
    await beginDrain(app);
    expect(app.output).toMatch(/stopped accepting new work: 2 in flight/);
    app.send('go all');
    expect(await Promise.all(replies)).toEqual([
      { values: ['value 0'], error: failed('failed after a value') },
      { values: [], error: failed('failed at last') },
    ]);
    expect(await app.end()).toEqual(CLEAN);
  });

  it('waits for a request-scoped handler', async () => {
    const plan = brokers.plan(target);
    const app = await launch(plan);
    const client = await clientOf(app, plan);
    const reply = client.ask('scoped');
    await app.line(/^at:scoped$/);
    await beginDrain(app);
    app.send('go scoped');
    expect(await reply).toEqual({ values: ['a scoped, resource open'] });
    expect(await app.end()).toEqual(CLEAN);
  });

  it('finishes an event handler, with its resource open', async () => {
    const plan = brokers.plan(target);
    const app = await launch(plan);
    const client = await clientOf(app, plan);
    await client.emit('slow-event', 7);
    await app.line(/^at:event-7$/);
    await beginDrain(app);
    app.send('go event-7');
    expect(await app.end()).toEqual(CLEAN);
    expect(app.lines(/^event 7 done/)).toEqual(['event 7 done, resource open']);
  });

  it('exits cleanly and logs nothing about the broker when nothing is in flight', async () => {
    const plan = brokers.plan(target);
    const app = await launch(plan);
    const client = await clientOf(app, plan);
    expect(await client.ask('fast', 3)).toEqual({ values: ['a fast 3'] });
    app.kill('SIGTERM');
    expect(await app.end()).toEqual(CLEAN);
    expect(app.output).not.toMatch(/WARN|ERROR/);
  });
});
