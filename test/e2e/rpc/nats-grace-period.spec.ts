import { launch } from './rpc-app.js';
import { useBrokers } from './transports.js';

const brokers = useBrokers();

describe.each(['standalone', 'hybrid'] as const)('nats, %s: the option gracefulShutdown', (kind) => {
  it('makes Nest sleep for its whole gracePeriod with nothing in flight, and causes one warning at boot', async () => {
    const options = { gracefulShutdown: true, gracePeriod: 2_000 };
    const app = await launch(brokers.plan({ transport: 'nats', kind }, { options }));
    expect(app.lines(/WARN/)).toEqual([expect.stringMatching(/gracefulShutdown delays every shutdown by 2 s/)]);
    const from = Date.now();
    app.kill('SIGTERM');
    expect(await app.end()).toEqual({ code: 0, signal: null });
    expect(Date.now() - from).toBeGreaterThanOrEqual(1_990);
    expect(app.lines(/WARN/)).toHaveLength(1);
  });

  it('causes no warning when it is off', async () => {
    const app = await launch(brokers.plan({ transport: 'nats', kind }, { options: { gracefulShutdown: false } }));
    expect(app.output).not.toMatch(/WARN/);
  });
});
