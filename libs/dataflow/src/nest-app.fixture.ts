import type { INestMicroservice, ModuleMetadata } from '@nestjs/common';
import type { AbstractHttpAdapter } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { RecordingLogger } from '@roost/kernel/testing';
import { CoordinatedShutdownModule, type CoordinatedShutdownOptions } from '@roost/shutdown';
import { TestApps } from '@roost/shutdown/testing';
import { ManualClock } from '@roost/time/testing';
import { dataflowMicroservice, DataflowModule, type DataflowModuleOptions, type GraphBuilder } from './index.js';

export { deferred } from '@roost/kernel';
export { RecordingLogger } from '@roost/kernel/testing';

export const ADAPTERS: readonly (readonly [name: string, create: () => AbstractHttpAdapter])[] = [
  ['Express', () => new ExpressAdapter()],
  ['Fastify', () => new FastifyAdapter()],
];

export interface AppMetadata extends ModuleMetadata {
  /** Options of the shutdown. `false` leaves out the shutdown module. */
  shutdown?: CoordinatedShutdownOptions | false;
  /** Describes the graph. */
  graph?: (g: GraphBuilder) => void;
  /** Further options of `forRoot`. `false` leaves out the module; `imports` may add one. */
  dataflow?: Partial<DataflowModuleOptions> | false;
}

/** Returns a root module with a graph on a manual clock. It neither listens to signals nor exits the process. */
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

export class Apps extends TestApps<AppMetadata> {
  constructor() {
    super(rootModule);
  }

  override microservice(metadata: AppMetadata): Promise<INestMicroservice> {
    return super.microservice(metadata, dataflowMicroservice());
  }
}

/** Returns the error with which a boot fails. */
export const bootError = (metadata: AppMetadata): Promise<unknown> => new Apps().bootError(metadata);

/** Waits for all work that needs no time. */
export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
