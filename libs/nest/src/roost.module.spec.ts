import type { INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ActorSystem } from '@roost/actors';
import { DrainService } from '@roost/drain';
import { ShutdownHealthIndicator } from '@roost/health';
import { CoordinatedShutdown, Phase } from '@roost/shutdown';
import { Workers } from '@roost/workers';
import { ForRootMissingError } from './errors/for-root-missing.error.js';
import { UnknownPartError } from './errors/unknown-part.error.js';
import { RoostModule, type RoostOptions } from './roost.module.js';

const PROVIDED = {
  shutdown: CoordinatedShutdown,
  drain: DrainService,
  health: ShutdownHealthIndicator,
  actors: ActorSystem,
  workers: Workers,
};

let app: INestApplication | undefined;

const start = async (options?: RoostOptions): Promise<INestApplication> => {
  const root = { module: class {}, imports: [RoostModule.forRoot(options)] };
  app = await NestFactory.create(root, { logger: false, abortOnError: false });
  await app.listen(0, '127.0.0.1');
  return app;
};

const has = (started: INestApplication, part: keyof typeof PROVIDED): boolean => {
  try {
    return started.get(PROVIDED[part], { strict: false }) !== undefined;
  } catch {
    return false;
  }
};

const ready = async (started: INestApplication): Promise<{ status: number; checked: string[] }> => {
  const response = await fetch(`${await started.getUrl()}/health/ready`);
  const { details } = (await response.json()) as { details: Record<string, unknown> };
  return { status: response.status, checked: Object.keys(details).sort() };
};

afterEach(async () => {
  await app?.close();
  app = undefined;
});

describe('RoostModule.forRoot', () => {
  it('imports every module, and connects them', async () => {
    const started = await start();

    expect(Object.keys(PROVIDED).filter((part) => !has(started, part as keyof typeof PROVIDED))).toEqual([]);
    expect(await ready(started)).toEqual({ status: 200, checked: ['actors', 'shutdown'] });
    const phases = started.get(CoordinatedShutdown).describe();
    expect(phases.filter(({ tasks }) => tasks.length > 0).map(({ name }) => name)).toEqual(
      expect.arrayContaining([Phase.ServiceUnbind, Phase.ServiceRequestsDone, Phase.ActorSystemTerminate]),
    );
  });

  it.each(['drain', 'health', 'actors', 'workers'] as const)('leaves out %s', async (part) => {
    const started = await start({ [part]: false });

    expect(has(started, part)).toBe(false);
    expect(Object.keys(PROVIDED).filter((other) => !has(started, other as keyof typeof PROVIDED))).toEqual([part]);
  });

  it('leaves out the shutdown, and modules that need one fail at startup', async () => {
    const alone = { drain: false, health: false, workers: false } as const;

    expect(has(await start({ shutdown: false, ...alone }), 'shutdown')).toBe(false);
    await app?.close();
    await expect(start({ shutdown: false })).rejects.toMatchObject({
      code: expect.stringMatching(/_SHUTDOWN_MISSING$/),
    });
  });

  it('does not check actors if they are left out', async () => {
    expect(await ready(await start({ actors: false }))).toEqual({ status: 200, checked: ['shutdown'] });
  });

  it('checks the indicators of the application in addition to the actors', async () => {
    const disk = () => ({ disk: { status: 'down' as const } });
    const started = await start({ health: { indicators: { ready: [disk] } } });

    expect(await ready(started)).toEqual({ status: 503, checked: ['actors', 'disk', 'shutdown'] });
  });

  it.each([
    ['shutdown', { timeoutMs: -1 }, 'SHUTDOWN_INVALID_TIMEOUT'],
    ['drain', { maxWaitMs: -1 }, 'DRAIN_INVALID_OPTION'],
    ['health', { timeoutMs: -1 }, 'HEALTH_INVALID_OPTION'],
    ['actors', { askTimeoutMs: -1 }, 'ACTORS_INVALID_OPTION'],
    ['workers', { maxWaitMs: -1 }, 'WORKERS_INVALID_OPTION'],
  ])('passes %s its options', async (part, options, code) => {
    await expect(start({ [part]: options })).rejects.toMatchObject({ code });
  });

  it('keeps the other options of the probes', async () => {
    const started = await start({ health: { path: 'internal' } });

    expect((await fetch(`${await started.getUrl()}/internal/ready`)).status).toBe(200);
  });

  it.each([
    ['drian', { drian: {} }, 'Unknown option `drian` in RoostModule.forRoot(). Valid options: shutdown, drain, health'],
    ['workers', { workers: true }, 'Invalid value for option `workers` in RoostModule.forRoot().'],
    ['actors', { actors: null }, 'Invalid value for option `actors` in RoostModule.forRoot().'],
  ])('refuses an invalid %s', (_, options, message) => {
    expect(() => RoostModule.forRoot(options as RoostOptions)).toThrow(UnknownPartError);
    expect(() => RoostModule.forRoot(options as RoostOptions)).toThrow(message);
  });

  it('fails with ForRootMissingError when the bare class is imported', async () => {
    const root = { module: class {}, imports: [RoostModule] };
    const created = NestFactory.create(root, { logger: false, abortOnError: false });

    await expect(created).rejects.toThrow(ForRootMissingError);
  });
});
