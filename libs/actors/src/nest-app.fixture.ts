import type { INestApplication, INestApplicationContext, ModuleMetadata } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { RecordingLogger } from '@roost/kernel/testing';
import { CoordinatedShutdownModule, type CoordinatedShutdownOptions } from '@roost/shutdown';
import { PathRecordingLogger } from './core/actor-system.fixture.js';
import { ActorSystemModule, type ActorSystemModuleOptions } from './index.js';

export const QUIET = { logger: false, abortOnError: false } as const;

export interface AppMetadata extends ModuleMetadata {
  /** Options of the default system; `false`: none is made. */
  actors?: ActorSystemModuleOptions | false;
  /** Options of a coordinated shutdown. @default none is there */
  shutdown?: CoordinatedShutdownOptions;
}

/** A root module with these contents and a system that logs nothing unless told where. */
export const rootModule = ({ actors = {}, shutdown, imports = [], ...metadata }: AppMetadata) => ({
  module: class RootModule {},
  imports: [
    ...(shutdown
      ? [CoordinatedShutdownModule.forRoot({ logger: new RecordingLogger(), signals: [], ...shutdown })]
      : []),
    ...(actors ? [ActorSystemModule.forRoot({ logger: new PathRecordingLogger(), ...actors })] : []),
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

  async http(metadata: AppMetadata): Promise<INestApplication> {
    return this.track(await NestFactory.create<INestApplication>(rootModule(metadata), QUIET));
  }

  track<T extends INestApplicationContext>(app: T): T {
    this.#open.push(app);
    return app;
  }

  async closeAll(): Promise<void> {
    for (const app of this.#open.splice(0)) await app.close();
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
