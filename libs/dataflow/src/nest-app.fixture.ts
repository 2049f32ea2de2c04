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

export class Apps extends TestApps<AppMetadata> {
  constructor() {
    super(rootModule);
  }

  override microservice(metadata: AppMetadata): Promise<INestMicroservice> {
    return super.microservice(metadata, dataflowMicroservice());
  }
}

/** What a boot fails with. */
export const bootError = (metadata: AppMetadata): Promise<unknown> => new Apps().bootError(metadata);

/** Everything that needs no time is done. */
export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
