import type {
  DynamicModule,
  HttpServer,
  INestApplication,
  INestApplicationContext,
  INestMicroservice,
  ModuleMetadata,
} from '@nestjs/common';
import { type AbstractHttpAdapter, ModulesContainer, NestFactory } from '@nestjs/core';
import { CoordinatedShutdown } from '../core/index.js';

/** Suppresses Nest's log lines in tests, and keeps a failed boot from ending the test process. */
const QUIET = { logger: false, abortOnError: false } as const;

/**
 * Creates Nest applications for a test, without log output, and closes all of them at the end.
 *
 * @example
 * ```ts
 * import { CoordinatedShutdown, CoordinatedShutdownModule } from '@roost/shutdown';
 * import { TestApps } from '@roost/shutdown/testing';
 *
 * const apps = new TestApps();
 * const app = await apps.context({ imports: [CoordinatedShutdownModule.forRoot({ signals: [] })] });
 * const report = await app.get(CoordinatedShutdown).run();
 * console.log(report.status);
 * await apps.closeAll(); // usually in `afterEach`
 * ```
 *
 * @publicApi
 */
export class TestApps<Metadata extends ModuleMetadata = ModuleMetadata> {
  readonly #open: INestApplicationContext[] = [];

  /**
   * @param rootModule creates the root module of an application from the metadata that a test passes
   * @param options options for `NestFactory`, used for all applications
   */
  constructor(
    private readonly rootModule: (metadata: Metadata) => DynamicModule = (metadata) => ({
      module: class RootModule {},
      ...metadata,
    }),
    private readonly options: object = {},
  ) {}

  /** Creates and boots an application context. */
  async context(metadata: Metadata, options: object = {}): Promise<INestApplicationContext> {
    const app = await NestFactory.createApplicationContext(this.rootModule(metadata), this.#settings(options));
    return this.track(app);
  }

  /** Creates an HTTP application without booting it. @param adapter default: Nest's own choice, which is Express */
  async http(metadata: Metadata, adapter?: AbstractHttpAdapter, options: object = {}): Promise<INestApplication> {
    const root = this.rootModule(metadata);
    const settings = this.#settings(options);
    const app = adapter
      ? await NestFactory.create<INestApplication<HttpServer>>(root, adapter, settings)
      : await NestFactory.create<INestApplication<HttpServer>>(root, settings);
    return this.track(app);
  }

  /**
   * Creates an HTTP application and lets it listen on a free port of 127.0.0.1.
   *
   * @param configure called with the application before it boots, for example to set a WebSocket adapter
   */
  async listening(
    metadata: Metadata,
    adapter?: AbstractHttpAdapter,
    configure: (app: INestApplication) => unknown = () => undefined,
  ): Promise<INestApplication> {
    const app = await this.http(metadata, adapter);
    await configure(app);
    await app.listen(0, '127.0.0.1');
    return app;
  }

  /** Creates a microservice without booting it. @param options its transport, as for `NestFactory` */
  async microservice(metadata: Metadata, options: object): Promise<INestMicroservice> {
    return this.track(await NestFactory.createMicroservice(this.rootModule(metadata), this.#settings(options)));
  }

  /** Returns the error with which the boot of an application context fails. Rejects if the boot succeeds. */
  async bootError(metadata: Metadata): Promise<unknown> {
    let app: INestApplicationContext;
    try {
      app = await NestFactory.createApplicationContext(this.rootModule(metadata), this.#settings());
    } catch (error) {
      return error;
    }
    await app.close();
    throw new Error('Expected the boot to fail, but the application booted.');
  }

  /** Adds an application that the test has created itself, so that `closeAll` closes it, too. */
  track<T extends INestApplicationContext>(app: T): T {
    this.#open.push(app);
    return app;
  }

  /** Closes all applications one by one and waits until their shutdowns have terminated. */
  async closeAll(): Promise<void> {
    for (const app of this.#open.splice(0)) {
      const modules = [...app.get(ModulesContainer).values()];
      await app.close();
      for (const { providers } of modules) {
        const shutdown: unknown = providers.get(CoordinatedShutdown)?.instance;
        if (shutdown instanceof CoordinatedShutdown) await shutdown.terminated;
      }
    }
  }

  #settings(options: object = {}): object {
    return { ...QUIET, ...this.options, ...options };
  }
}
