import { Injectable } from '@nestjs/common';
import { type AsyncMicroserviceOptions, Server } from '@nestjs/microservices';
import { Dataflow, type DataflowState } from './core/index.js';
import { DataflowLifecycle } from './dataflow.lifecycle.js';

/**
 * Runs the nodes of this process as a Nest microservice: `listen()` starts the run. The server accepts no messages from
 * outside. The graph itself carries the messages between nodes.
 *
 * @publicApi
 */
@Injectable()
export class DataflowServer extends Server<{ ended: () => void }, DataflowState> {
  override readonly transportId = Symbol.for('roost:dataflow');

  /** @internal */
  constructor(
    private readonly dataflow: Dataflow,
    private readonly lifecycle: DataflowLifecycle,
  ) {
    super();
  }

  /** Starts the run once the application has booted. */
  listen(callback: (error?: unknown) => void): void {
    const { dataflow } = this;
    if (this.lifecycle.isRefusing) return void dataflow.run().catch(callback);
    // The lifecycle handles the result of the run.
    dataflow.run().catch(() => undefined);
    this._status$.next('running');
    const end = (): void => this._status$.next('stopped');
    dataflow.ended.then(end, end);
    callback();
  }

  /** Stops the run, unless a shutdown has already done so. */
  close(): Promise<void> {
    return this.lifecycle.stopQuietly();
  }

  /** Calls the callback when the run has ended. */
  on<E extends 'ended'>(event: E, callback: () => void): void {
    if (event === 'ended') this.dataflow.ended.then(callback, callback);
  }

  /** Returns the graph. */
  unwrap<T = Dataflow>(): T {
    return this.dataflow as T;
  }
}

/**
 * Returns options that make the graph of an application a Nest microservice. Works with `createMicroservice()` and
 * `connectMicroservice()`.
 *
 * @example
 * ```ts
 * import { NestFactory } from '@nestjs/core';
 * import { Module } from '@nestjs/common';
 * import { dataflowMicroservice } from '@roost/dataflow';
 *
 * @Module({}) // imports DataflowModule
 * class AppModule {}
 *
 * const app = await NestFactory.createMicroservice(AppModule, dataflowMicroservice());
 * await app.listen();
 * ```
 *
 * @publicApi
 */
export const dataflowMicroservice = (): AsyncMicroserviceOptions => ({
  useFactory: (strategy: DataflowServer) => ({ strategy }),
  inject: [DataflowServer],
});
