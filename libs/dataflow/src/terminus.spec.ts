import { Controller, Get } from '@nestjs/common';
import { HealthCheck, HealthCheckService, TerminusModule } from '@nestjs/terminus';
import { CoordinatedShutdown, Phase } from '@roost/shutdown';
import { ManualClock } from '@roost/time/testing';
import {
  Dataflow,
  type DataflowModuleOptions,
  DataflowNode,
  type NodeContext,
  OnTimer,
  PhysicalAction,
  Reaction,
  span,
} from './index.js';
import { ADAPTERS, type AppMetadata, Apps, deferred, settled } from './nest-app.fixture.js';
import * as terminus from './terminus.js';

const { DataflowHealthIndicator } = terminus;
const apps = new Apps();
afterEach(() => apps.closeAll());

@DataflowNode()
class Sensor {
  @PhysicalAction() value!: PhysicalAction<number>;
  gate = deferred();

  @OnTimer({ period: span.ms(100) })
  async tick(): Promise<void> {
    await this.gate.promise;
  }

  @Reaction('value')
  async take(ctx: NodeContext): Promise<void> {
    if (this.value.value === 13) throw new Error('bad luck');
    if (this.value.value === 0) ctx.requestShutdown();
  }
}

@Controller()
class Health {
  constructor(
    private readonly health: HealthCheckService,
    private readonly dataflow: terminus.DataflowHealthIndicator,
  ) {}

  @HealthCheck()
  @Get('ready')
  ready(): Promise<unknown> {
    return this.health.check([() => this.dataflow.isHealthy()]);
  }
}

const metadata = (dataflow: Partial<DataflowModuleOptions> = {}): AppMetadata => ({
  imports: [TerminusModule.forRoot({ logger: false })],
  controllers: [Health],
  providers: [DataflowHealthIndicator, Sensor],
  graph: (g) => void g.node(Sensor),
  dataflow: { exit: 'never', ...dataflow },
});

const setup = async (dataflow: Partial<DataflowModuleOptions> = {}) => {
  const clock = new ManualClock();
  const app = await apps.context(metadata({ clock, ...dataflow }));
  const sensor = app.get(Sensor);
  sensor.gate.resolve();
  await settled();
  return {
    app,
    clock,
    sensor,
    dataflow: app.get(Dataflow),
    health: () => app.get(DataflowHealthIndicator).isHealthy().dataflow!,
  };
};

describe('@roost/dataflow/terminus', () => {
  it('exports these names and no others', () => expect(Object.keys(terminus)).toEqual(['DataflowHealthIndicator']));
});

describe('DataflowHealthIndicator', () => {
  it('is up before the run', async () => {
    const { app } = await setup({ autoStart: false });
    expect(app.get(DataflowHealthIndicator).isHealthy('graph')).toEqual({
      graph: { status: 'up', state: 'ready', nodes: { sensor: { tag: 'none', queued: 0, lagMs: 0 } } },
    });
  });

  it('is up while the graph runs, with the progress of its nodes', async () => {
    const { clock, health } = await setup();
    await clock.advanceAsync(250);
    expect(health()).toEqual({
      status: 'up',
      state: 'running',
      nodes: { sensor: { tag: expect.stringContaining('200') as string, queued: 1, lagMs: 0 } },
    });
  });

  it('is degraded while a node lags too far behind the clock', async () => {
    const { clock, sensor, health } = await setup({ lagWarningMs: 500 });
    sensor.gate = deferred();
    await clock.advanceAsync(700);
    expect(health()).toMatchObject({ status: 'up' });
    await clock.advanceAsync(1);
    expect(health()).toMatchObject({ status: 'degraded', lagging: ['sensor'], nodes: { sensor: { lagMs: 501 } } });
    sensor.gate.resolve();
    await settled();
    await settled();
    expect(health()).toMatchObject({ status: 'up' });
  });

  it.each([
    ['a node has requested it', async ({ sensor }: Awaited<ReturnType<typeof setup>>) => void sensor.value.schedule(0)],
    ['its timeout was reached', async ({ clock }: Awaited<ReturnType<typeof setup>>) => clock.advanceAsync(1_000)],
  ])('is up after the graph has stopped because %s', async (_, end) => {
    const parts = await setup({ timeout: span.ms(1_000) });
    await end(parts);
    await parts.dataflow.ended;
    expect(parts.health()).toMatchObject({ status: 'up', state: 'stopped' });
  });

  it('is down from a stop requested outside of the graph on', async () => {
    const { sensor, dataflow, clock, health } = await setup();
    sensor.gate = deferred();
    await clock.advanceAsync(100);
    void dataflow.requestShutdown();
    expect(health()).toMatchObject({ status: 'down', state: 'stopping' });
    sensor.gate.resolve();
    await dataflow.ended;
    expect(health()).toMatchObject({ status: 'down', state: 'stopped' });
  });

  it('is still up when a stop is only planned', async () => {
    const { dataflow, health } = await setup();
    await dataflow.requestShutdown({ at: span.ms(500) });
    expect(health()).toMatchObject({ status: 'up', state: 'running' });
  });

  it('is down as soon as the application shuts down, before the graph stops', async () => {
    const { app, dataflow, health } = await setup();
    const shutdown = app.get(CoordinatedShutdown);
    const seen: unknown[] = [];
    shutdown.addTask(Phase.BeforeServiceUnbind, 'look', () => seen.push([health().status, dataflow.state]));
    await shutdown.run();
    expect(seen).toEqual([['down', 'running']]);
  });

  it('is down after a stop by force, with the reason', async () => {
    const { sensor, dataflow, health } = await setup();
    sensor.value.schedule(13);
    await dataflow.ended;
    expect(health()).toMatchObject({ status: 'down', message: expect.stringContaining('bad luck') as string });
  });

  it('lists at most twenty nodes', async () => {
    const names = Array.from({ length: 23 }, (_, index) => `n${index}`);
    const { health } = await setup({
      autoStart: false,
      graph: (g) => names.forEach((name) => g.node(Sensor, { name })),
    });
    const { nodes, more } = health() as unknown as { nodes: object; more: number };
    expect([Object.keys(nodes), more]).toEqual([names.slice(0, 20), 3]);
  });

  it.each(ADAPTERS)('works in a probe on %s', async (_, adapter) => {
    const app = await apps.http(metadata(), adapter());
    await app.listen(0, '127.0.0.1');
    const status = async () =>
      (await fetch(`${await app.getUrl()}/ready`, { headers: { connection: 'close' } })).status;
    app.get(Sensor).gate.resolve();
    expect(await status()).toBe(200);
    await app.get(Dataflow).requestShutdown();
    expect(await status()).toBe(503);
  });
});
