import { clientOf, launch, type Outcome } from './rpc-app.js';
import { TARGETS, useBrokers } from './transports.js';

const brokers = useBrokers();

// Proves that Nest alone does not pass the other specs of this folder.
describe.each(TARGETS)('$transport, $kind: plain Nest at SIGTERM', (target) => {
  it('exits without replying to an in-flight message', async () => {
    const plan = brokers.plan(target, { subject: 'stock' });
    const app = await launch(plan);
    const client = await clientOf(app, plan);
    let outcome: Outcome = { values: [] };
    const replied = client.ask('slow', 1).then((value) => (outcome = value));
    await app.line(/^at:slow-1$/);
    app.kill('SIGTERM');
    await app.end();
    // Over TCP the caller sees its connection close. With a broker it waits indefinitely.
    if (target.transport === 'tcp') await replied;
    else await client.roundTrip(target.transport);
    expect(outcome.values).toEqual([]);
  });

  it('exits in the middle of an event handler', async () => {
    const plan = brokers.plan(target, { subject: 'stock' });
    const app = await launch(plan);
    const client = await clientOf(app, plan);
    await client.emit('slow-event', 7);
    await app.line(/^at:event-7$/);
    app.kill('SIGTERM');
    await app.end();
    expect(app.lines(/^event 7 done/)).toEqual([]);
    expect(app.lines(/^resource closed$/)).toHaveLength(1);
  });
});
