import type { INestApplication, INestApplicationContext, INestMicroservice, ModuleMetadata } from '@nestjs/common';
import { type AbstractHttpAdapter, NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { RecordingLogger } from '@roost/kernel/testing';
import { CoordinatedShutdown, CoordinatedShutdownModule, type CoordinatedShutdownOptions } from '@roost/shutdown';
import { ManualClock } from '@roost/time/testing';
import { dataflowMicroservice, DataflowModule, type DataflowModuleOptions, type GraphBuilder } from './index.js';

export { deferred } from '@roost/kernel';
export { RecordingLogger } from '@roost/kernel/testing';

export const ADAPTERS: readonly (readonly [name: string, create: () => AbstractHttpAdapter])[] = [
  ['Express', () => new ExpressAdapter()],
  ['Fastify', () => new FastifyAdapter()],
];

export const QUIET = { logger: false, abortOnError: false } as const;

export interface AppMetadata extends ModuleMetadata {
  /** Options of the shutdown; `false`: there is none. */
  shutdown?: CoordinatedShutdownOptions | false;
  /** What the graph is made of. */
  graph?: (g: GraphBuilder) => void;
  /** Other options of `forRoot`; `false`: the module is left to `imports`. */
  dataflow?: Partial<DataflowModuleOptions> | false;
}

/** A root module with a graph on a clock that stands still, which neither listens to signals nor ends the process. */
export const rootModule = ({
  shutdown = {},
  dataflow = {},
  graph = () => undefined,
  imports = [],
  ...metadata
}: AppMetadata) => ({
  module: class RootModule {},
  imports: [
    ...(shutdown
      ? [
          CoordinatedShutdownModule.forRoot({
            logger: new RecordingLogger(),
            signals: [],
            exit: { process: false },
            ...shutdown,
          }),
        ]
      : []),
    ...(dataflow
      ? [DataflowModule.forRoot({ graph, logger: new RecordingLogger(), clock: new ManualClock(), ...dataflow })]
      : []),
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

  /** Created, but not booted. */
  async microservice(metadata: AppMetadata): Promise<INestMicroservice> {
    const options = { ...dataflowMicroservice(), ...QUIET };
    return this.track(await NestFactory.createMicroservice(rootModule(metadata), options));
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

/** Everything that needs no time is done. */
export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
