import type { IncomingMessage } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import {
  Controller,
  Get,
  type INestApplication,
  type LoggerService,
  Module,
  VERSION_NEUTRAL,
  type VersioningOptions,
  VersioningType,
} from '@nestjs/common';
import { type AbstractHttpAdapter, NestFactory } from '@nestjs/core';
import { HealthCheckService, TerminusModule } from '@nestjs/terminus';
import { DrainModule, ServeWhileDraining } from '@roost/drain';
import { DrainHealthIndicator } from '@roost/drain/terminus';
import { HealthModule, ShutdownHealthIndicator } from '@roost/health';
import { deferred } from '@roost/kernel';
import { RecordingLogger } from '@roost/kernel/testing';
import { CoordinatedShutdownModule } from '@roost/shutdown';
import { ADAPTERS } from '../support/http-adapters.js';
import { type Answer, request } from '../support/http-client.js';
import { until } from '../support/until.js';

const { jest } = import.meta;
jest.setTimeout(30_000);

interface JsonAnswer extends Omit<Answer, 'body'> {
  body: { status?: string; info?: Record<string, unknown>; error?: Record<string, Record<string, unknown>> };
}

/** An application with all modules, and one request that is answered when the test releases it. */
class Fixture {
  readonly lines: string[] = [];
  database: 'up' | 'down' = 'up';
  readonly #held = deferred();
  readonly #slowReached = deferred();
  #app!: INestApplication;
  #closed: Promise<void> | undefined;

  async start(adapter: AbstractHttpAdapter, configure: (app: INestApplication) => void): Promise<void> {
    const handle = async (): Promise<string> => {
      this.#slowReached.resolve();
      await this.#held.promise;
      return 'done';
    };
    const database = () => ({ database: { status: this.database } });

    @Controller({ path: 'work', version: '1' })
    class WorkController {
      @Get('slow')
      slow(): Promise<string> {
        return handle();
      }
      @Get('quick')
      quick(): string {
        return 'quick';
      }
    }

    @ServeWhileDraining()
    @Controller({ path: 'own', version: VERSION_NEUTRAL })
    class OwnHealthController {
      constructor(
        private readonly health: HealthCheckService,
        private readonly shutdown: ShutdownHealthIndicator,
        private readonly drain: DrainHealthIndicator,
      ) {}
      @Get('ready')
      ready() {
        return this.health.check([() => this.shutdown.isHealthy(), () => this.drain.isHealthy(), database]);
      }
    }

    @Module({
      imports: [TerminusModule],
      controllers: [OwnHealthController],
      providers: [DrainHealthIndicator],
    })
    class OwnHealthModule {}

    @Module({
      imports: [
        CoordinatedShutdownModule.forRoot({ logger: new RecordingLogger() }),
        DrainModule.forRoot({ logger: new RecordingLogger() }),
        HealthModule.forRoot({ indicators: { ready: [DrainHealthIndicator] } }),
        OwnHealthModule,
      ],
      controllers: [WorkController],
    })
    class AppModule {}

    const note =
      (level: string) =>
      (message: unknown): void =>
        void this.lines.push(`${level} ${String(message)}`);
    const logger: LoggerService = { log: () => undefined, warn: note('warn'), error: note('error') };
    this.#app = await NestFactory.create(AppModule, adapter, { logger, abortOnError: false });
    configure(this.#app);
    await this.#app.listen(0, '127.0.0.1');
  }

  async ask(path: string, headers: Record<string, string> = {}): Promise<JsonAnswer> {
    const { port } = (this.#app.getHttpServer() as Server).address() as AddressInfo;
    const { body, ...answer } = await request(port, path, { headers });
    return { ...answer, body: (body.startsWith('{') ? JSON.parse(body) : {}) as JsonAnswer['body'] };
  }

  /** Sends a request that is in flight until `finish`. */
  async holdRequest(path: string, headers?: Record<string, string>): Promise<{ answer: Promise<JsonAnswer> }> {
    const answer = this.ask(path, headers);
    await this.#slowReached.promise;
    return { answer };
  }

  /** Starts the shutdown and waits until it waits for the in-flight request. */
  async drain(readyPath: string): Promise<void> {
    void this.#close();
    await until('the drain', async () => {
      const { body } = await this.ask(readyPath);
      return body.error?.['shutdown']?.['phase'] === 'service-requests-done';
    });
  }

  async finish(): Promise<void> {
    this.#held.resolve();
    await this.#close();
  }

  #close(): Promise<void> {
    this.#closed ??= this.#app.close();
    return this.#closed;
  }
}

let fixture: Fixture;
beforeEach(() => (fixture = new Fixture()));
afterEach(() => fixture.finish());

const DOWN = { status: 'down', phase: 'service-requests-done', reason: 'application-close', inFlight: 1 };

describe.each(ADAPTERS)('Drain and health together on %s', (_, createAdapter) => {
  const start = (versioning: VersioningOptions = { type: VersioningType.URI }) =>
    fixture.start(createAdapter(), (app) => void app.setGlobalPrefix('api').enableVersioning(versioning));

  it('report in-flight work in readiness during a drain, stay live, and refuse other requests', async () => {
    await start();
    const { answer } = await fixture.holdRequest('/api/v1/work/slow');
    expect((await fixture.ask('/api/health/ready')).body.info).toMatchObject({
      shutdown: { status: 'up' },
      // The probe request itself is one of them.
      drain: { status: 'up', inFlight: 2 },
    });

    await fixture.drain('/api/health/ready');

    expect(await fixture.ask('/api/health/ready')).toMatchObject({ status: 503, body: { error: { shutdown: DOWN } } });
    expect(await fixture.ask('/api/health/live')).toMatchObject({ status: 200, body: { status: 'ok' } });
    expect(await fixture.ask('/api/health/startup')).toMatchObject({ status: 200 });
    for (const path of ['/api/v1/work/quick', '/health/ready', '/api/health/other']) {
      const { status, headers } = await fixture.ask(path);
      expect([path, status, headers['retry-after'], headers.connection]).toEqual([path, 503, '5', 'close']);
    }

    await fixture.finish();
    expect((await answer).status).toBe(200);
  });

  it("report the same in the application's own Terminus controller during a drain, and log nothing", async () => {
    await start();
    fixture.database = 'down';
    expect((await fixture.ask('/api/own/ready')).status).toBe(503);
    const failed = expect.stringMatching(/^error Health Check has failed! .*"database":\{"status":"down"\}/) as string;
    expect(fixture.lines).toEqual([failed]);
    fixture.database = 'up';
    expect((await fixture.ask('/api/own/ready')).status).toBe(200);
    await fixture.holdRequest('/api/v1/work/slow');

    await fixture.drain('/api/own/ready');
    const { status, headers, body } = await fixture.ask('/api/own/ready');
    await fixture.finish();

    expect(status).toBe(503);
    expect(headers['retry-after']).toBeUndefined();
    expect(body.error).toMatchObject({ shutdown: DOWN, drain: { status: 'down', inFlight: 1 } });
    expect(body.info).toEqual({ database: { status: 'up' } });
    expect(fixture.lines).toEqual([failed]);
  });

  it.each<[string, VersioningOptions, Record<string, string>]>([
    ['header', { type: VersioningType.HEADER, header: 'x-version' }, { 'x-version': '1' }],
    ['media type', { type: VersioningType.MEDIA_TYPE, key: 'v=' }, { accept: 'application/json;v=1' }],
    [
      'custom',
      {
        type: VersioningType.CUSTOM,
        extractor: (request) => String((request as IncomingMessage).headers['x-version'] ?? ''),
      },
      { 'x-version': '1' },
    ],
  ])('serve probes with %s versioning during a drain', async (_type, versioning, headers) => {
    await start(versioning);
    await fixture.holdRequest('/api/work/slow', headers);

    await fixture.drain('/api/health/ready');

    expect(await fixture.ask('/api/health/ready')).toMatchObject({ status: 503, body: { error: { shutdown: DOWN } } });
    expect((await fixture.ask('/api/health/live')).status).toBe(200);
    expect((await fixture.ask('/api/own/ready')).body.error).toMatchObject({ shutdown: DOWN });
    expect((await fixture.ask('/api/work/quick', headers)).headers['retry-after']).toBe('5');
  });
});
