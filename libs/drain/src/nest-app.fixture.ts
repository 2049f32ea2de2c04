import type { INestApplication, INestApplicationContext, ModuleMetadata } from '@nestjs/common';
import { type AbstractHttpAdapter, NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { RecordingLogger } from '@roost/kernel/testing';
import { CoordinatedShutdown, CoordinatedShutdownModule, type CoordinatedShutdownOptions } from '@roost/shutdown';
import type { Server } from 'node:http';
import { RawClient } from './core/http/raw-client.fixture.js';
import { type DrainOptions, DrainModule } from './index.js';

export const ADAPTERS: readonly (readonly [name: string, create: () => AbstractHttpAdapter])[] = [
  ['Express', () => new ExpressAdapter()],
  ['Fastify', () => new FastifyAdapter()],
];

export const QUIET = { logger: false, abortOnError: false } as const;

export interface AppMetadata extends ModuleMetadata {
  shutdown?: CoordinatedShutdownOptions;
  /** Options of the drain; `false`: no drain at all. */
  drain?: DrainOptions | false;
}

/** A root module with these contents, a shutdown and a drain that log nothing unless told where. */
export const rootModule = ({ shutdown, drain = {}, imports = [], ...metadata }: AppMetadata) => ({
  module: class RootModule {},
  imports: [
    CoordinatedShutdownModule.forRoot({ logger: new RecordingLogger(), signals: [], ...shutdown }),
    ...(drain ? [DrainModule.forRoot({ logger: new RecordingLogger(), settleMs: 1, ...drain })] : []),
    ...imports,
  ],
  ...metadata,
});

/** Makes the applications of a spec and closes them all in the end. */
export class Apps {
  #open: INestApplicationContext[] = [];

  async http(
    metadata: AppMetadata,
    adapter: AbstractHttpAdapter = new ExpressAdapter(),
    configure: (app: INestApplication) => unknown = () => undefined,
  ): Promise<INestApplication> {
    const app = this.track(await NestFactory.create<INestApplication>(rootModule(metadata), adapter, QUIET));
    configure(app);
    await app.listen(0, '127.0.0.1');
    return app;
  }

  async context(metadata: AppMetadata): Promise<INestApplicationContext> {
    return this.track(await NestFactory.createApplicationContext(rootModule(metadata), QUIET));
  }

  track<T extends INestApplicationContext>(app: T): T {
    this.#open.push(app);
    return app;
  }

  async closeAll(): Promise<void> {
    for (const app of this.#open.splice(0)) {
      await app.close();
      await app.get(CoordinatedShutdown).terminated;
    }
  }
}

export const serverOf = (app: INestApplication): Server => app.getHttpServer() as Server;

/** A connection to the application. */
export const connectTo = (app: INestApplication): Promise<RawClient> => RawClient.connect(serverOf(app));

/** What a GET on a connection of its own is answered with, all of it. */
export async function get(app: INestApplication, path: string, ...headers: string[]): Promise<string> {
  const client = await connectTo(app);
  return client.request(`GET ${path}`, 'Connection: close', ...headers).untilClosed();
}
