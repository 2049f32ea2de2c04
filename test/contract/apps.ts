import type { EventEmitter } from 'node:events';
import {
  type BeforeApplicationShutdown,
  type INestApplicationContext,
  type ModuleMetadata,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleDestroy,
  type OnModuleInit,
  type ValueProvider,
} from '@nestjs/common';
import { type AbstractHttpAdapter, NestFactory } from '@nestjs/core';
import { type MicroserviceOptions, Transport } from '@nestjs/microservices';
import { ExpressAdapter } from '@nestjs/platform-express';
import { ADAPTERS } from '../support/http-adapters.js';

const QUIET = { logger: false, abortOnError: false } as const;

export const TCP: MicroserviceOptions = { transport: Transport.TCP, options: { host: '127.0.0.1', port: 0 } };

/** Returns a new module class for each application. */
export const moduleOf = (metadata: ModuleMetadata) => ({ module: class RootModule {}, ...metadata });

export const createHttp = (metadata: ModuleMetadata, adapter: AbstractHttpAdapter = new ExpressAdapter()) =>
  NestFactory.create(moduleOf(metadata), adapter, QUIET);

export const createMicroservice = (metadata: ModuleMetadata) =>
  NestFactory.createMicroservice<MicroserviceOptions>(moduleOf(metadata), { ...QUIET, ...TCP });

export const createContext = (metadata: ModuleMetadata) =>
  NestFactory.createApplicationContext(moduleOf(metadata), QUIET);

type CreateApp = (metadata: ModuleMetadata) => Promise<INestApplicationContext>;

/** Each kind of application, started. */
export const KINDS: readonly (readonly [kind: string, create: CreateApp])[] = [
  ...ADAPTERS.map(
    ([name, adapter]) =>
      [
        `HTTP application on ${name}`,
        async (metadata: ModuleMetadata) => (await createHttp(metadata, adapter())).init(),
      ] as const,
  ),
  ['microservice', async (metadata) => (await createMicroservice(metadata)).init()],
  ['application context', createContext],
];

/** Records the calls of Nest. Each takes a turn of the event loop, so that a call which is not awaited shows. */
export class Steps
  implements OnModuleInit, OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown, OnApplicationShutdown
{
  readonly taken: string[] = [];

  /** Waits a turn, then records the step. */
  readonly take = async (step: string): Promise<void> => {
    await new Promise(setImmediate);
    this.taken.push(step);
  };

  readonly provider: ValueProvider<Steps> = { provide: Steps, useValue: this };

  onModuleInit(): Promise<void> {
    return this.take('onModuleInit');
  }

  onApplicationBootstrap(): Promise<void> {
    return this.take('onApplicationBootstrap');
  }

  onModuleDestroy(): Promise<void> {
    return this.take('onModuleDestroy');
  }

  beforeApplicationShutdown(signal?: string): Promise<void> {
    return this.take(`beforeApplicationShutdown ${signal}`);
  }

  onApplicationShutdown(signal?: string): Promise<void> {
    return this.take(`onApplicationShutdown ${signal}`);
  }
}

/** Calls the listeners of a signal, as Node does on delivery. */
export const raise = (signal: NodeJS.Signals): boolean => (process as EventEmitter).emit(signal, signal);

/** Closes the tracked applications after each test of the file. */
export const closingAfterEach = (): (<T extends INestApplicationContext>(app: T) => T) => {
  let apps: INestApplicationContext[] = [];
  afterEach(async () => {
    await Promise.all(apps.map((app) => app.close()));
    apps = [];
  });
  return (app) => {
    apps.push(app);
    return app;
  };
};
