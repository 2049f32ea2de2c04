import type { INestApplication, ModuleMetadata } from '@nestjs/common';
import type { AbstractHttpAdapter } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { RecordingLogger } from '@roost/kernel/testing';
import { CoordinatedShutdownModule, type CoordinatedShutdownOptions } from '@roost/shutdown';
import { TestApps } from '@roost/shutdown/testing';
import type { Server } from 'node:http';
import { RawClient } from './core/http/raw-client.fixture.js';
import { type DrainOptions, DrainModule } from './index.js';

export const ADAPTERS: readonly (readonly [name: string, create: () => AbstractHttpAdapter])[] = [
  ['Express', () => new ExpressAdapter()],
  ['Fastify', () => new FastifyAdapter()],
];

export interface AppMetadata extends ModuleMetadata {
  shutdown?: CoordinatedShutdownOptions;
  /** Options of the drain. `false` omits the drain. */
  drain?: DrainOptions | false;
}

/** Creates a root module with these contents, a shutdown and a drain. They log nothing unless a logger is given. */
export const rootModule = ({ shutdown, drain = {}, imports = [], ...metadata }: AppMetadata) => ({
  module: class RootModule {},
  imports: [
    CoordinatedShutdownModule.forRoot({ logger: new RecordingLogger(), signals: [], ...shutdown }),
    ...(drain ? [DrainModule.forRoot({ logger: new RecordingLogger(), settleMs: 1, ...drain })] : []),
    ...imports,
  ],
  ...metadata,
});

export class Apps extends TestApps<AppMetadata> {
  constructor() {
    super(rootModule);
  }
}

export const serverOf = (app: INestApplication): Server => app.getHttpServer() as Server;

/** Opens a connection to the application. */
export const connectTo = (app: INestApplication): Promise<RawClient> => RawClient.connect(serverOf(app));

/** Sends a GET on its own connection and returns the complete response. */
export async function get(app: INestApplication, path: string, ...headers: string[]): Promise<string> {
  const client = await connectTo(app);
  return client.request(`GET ${path}`, 'Connection: close', ...headers).untilClosed();
}
