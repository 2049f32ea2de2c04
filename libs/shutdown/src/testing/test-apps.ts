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

/** Nest's own lines are no concern of a test, and a boot that fails must not end its process. */
const QUIET = { logger: false, abortOnError: false } as const;

/**
 * Makes the Nest applications of a test, without log lines, and closes them all in the end.
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
   * @param rootModule makes the root module of an application from what a test asks for
   * @param options for `NestFactory`, for all applications of the test
   */
  constructor(
    private readonly rootModule: (metadata: Metadata) => DynamicModule = (metadata) => ({
      module: class RootModule {},
      ...metadata,
    }),
    private readonly options: object = {},
  ) {}

  /** A booted application context. */
  async context(metadata: Metadata, options: object = {}): Promise<INestApplicationContext> {
    const app = await NestFactory.createApplicationContext(this.rootModule(metadata), this.#settings(options));
    return this.track(app);
  }

  /** An HTTP application that is created, but not booted. @param adapter default: Nest's own choice, which is Express */
  async http(metadata: Metadata, adapter?: AbstractHttpAdapter, options: object = {}): Promise<INestApplication> {
    const root = this.rootModule(metadata);
    const settings = this.#settings(options);
    const app = adapter
      ? await NestFactory.create<INestApplication<HttpServer>>(root, adapter, settings)
      : await NestFactory.create<INestApplication<HttpServer>>(root, settings);
    return this.track(app);
  }

  /**
   * An HTTP application that listens on a free port of 127.0.0.1.
   *
   * @param configure is called with the application before it boots, for example to set a WebSocket adapter
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

  /** A microservice that is created, but not booted. @param options its transport, as for `NestFactory` */
  async microservice(metadata: Metadata, options: object): Promise<INestMicroservice> {
    return this.track(await NestFactory.createMicroservice(this.rootModule(metadata), this.#settings(options)));
  }

  /** The error that the boot of an application context fails with. Rejects when it does not fail. */
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

  /** Takes over an application that the test has made itself. */
  track<T extends INestApplicationContext>(app: T): T {
    this.#open.push(app);
    return app;
  }

  /** Closes all applications, one after the other, and waits until their shutdowns have terminated. */
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
