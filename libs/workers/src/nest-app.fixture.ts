import type { ModuleMetadata } from '@nestjs/common';
import type { AbstractHttpAdapter } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { RecordingLogger } from '@roost/kernel/testing';
import { CoordinatedShutdownModule, type CoordinatedShutdownOptions } from '@roost/shutdown';
import { TestApps } from '@roost/shutdown/testing';
import { WorkersModule, type WorkersOptions } from './index.js';

export const ADAPTERS: readonly (readonly [name: string, create: () => AbstractHttpAdapter])[] = [
  ['Express', () => new ExpressAdapter()],
  ['Fastify', () => new FastifyAdapter()],
];

export interface AppMetadata extends ModuleMetadata {
  /** Options of the shutdown. `false` omits it. */
  shutdown?: CoordinatedShutdownOptions | false;
  /** Options of the workers. `false` leaves the module to `imports`. */
  workers?: WorkersOptions | false;
}

/** Creates a root module with these contents, a shutdown and workers. They log nothing unless a logger is given. */
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

export class Apps extends TestApps<AppMetadata> {
  constructor() {
    super(rootModule);
  }
}
