import type { INestApplication, INestApplicationContext, ModuleMetadata } from '@nestjs/common';
import { type AbstractHttpAdapter, NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { RecordingLogger } from '@roost/kernel/testing';
import { CoordinatedShutdown, CoordinatedShutdownModule, type CoordinatedShutdownOptions } from '@roost/shutdown';
import { WorkersModule, type WorkersOptions } from './index.js';

export const ADAPTERS: readonly (readonly [name: string, create: () => AbstractHttpAdapter])[] = [
  ['Express', () => new ExpressAdapter()],
  ['Fastify', () => new FastifyAdapter()],
];

export const QUIET = { logger: false, abortOnError: false } as const;

export interface AppMetadata extends ModuleMetadata {
  /** Options of the shutdown; `false`: there is none. */
  shutdown?: CoordinatedShutdownOptions | false;
  /** Options of the workers; `false`: the module is left to `imports`. */
  workers?: WorkersOptions | false;
}

/** A root module with these contents, a shutdown and workers that log nothing unless told where. */
export const rootModule = ({ shutdown = {}, workers = {}, imports = [], ...metadata }: AppMetadata) => ({
  module: class RootModule {},
  imports: [
    ...(shutdown
      ? [CoordinatedShutdownModule.forRoot({ logger: new RecordingLogger(), signals: [], ...shutdown })]
      : []),
    ...(workers ? [WorkersModule.forRoot({ logger: new RecordingLogger(), ...workers })] : []),
    ...imports,
  ],
  ...metadata,
});

/** Makes the applications of a spec and closes them all in the end. */
export class Apps {
  #open: INestApplicationContext[] = [];

  async context(metadata: AppMetadata): Promise<INestApplicationContext> {
    return this.track(await NestFactory.createApplicationContext(rootModule(metadata), QUIET));
  }

  /** Created, but not booted. */
  async http(metadata: AppMetadata, adapter: AbstractHttpAdapter = new ExpressAdapter()): Promise<INestApplication> {
    return this.track(await NestFactory.create<INestApplication>(rootModule(metadata), adapter, QUIET));
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

/** What a boot fails with. */
export const bootError = (metadata: AppMetadata): Promise<unknown> =>
  NestFactory.createApplicationContext(rootModule(metadata), QUIET).then(
    async (app) => {
      await app.close();
      throw new Error('it boots');
    },
    (error: unknown) => error,
  );
