import { Injectable } from '@nestjs/common';
import { type AsyncMicroserviceOptions, Server } from '@nestjs/microservices';
import { Dataflow, type DataflowState } from './core/index.js';
import { DataflowLifecycle } from './dataflow.lifecycle.js';

/**
 * Makes a microservice of a process that runs nodes: listening is running them. It takes no messages from outside; those
 * between nodes are the business of the graph.
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

  /** Begins the run, when the application has booted. */
  listen(callback: (error?: unknown) => void): void {
    const { dataflow } = this;
    if (this.lifecycle.isRefusing) return void dataflow.run().catch(callback);
    // How it ends is told by the lifecycle.
    dataflow.run().catch(() => undefined);
    this._status$.next('running');
    const end = (): void => this._status$.next('stopped');
    dataflow.ended.then(end, end);
    callback();
  }

  /** Ends the run, if a shutdown has not done so before. */
  close(): Promise<void> {
    return this.lifecycle.stopQuietly();
  }

  /** `ended`: the run is over. */
  on<E extends 'ended'>(event: E, callback: () => void): void {
    if (event === 'ended') this.dataflow.ended.then(callback, callback);
  }

  /** The graph. */
  unwrap<T = Dataflow>(): T {
    return this.dataflow as T;
  }
}

/**
 * Makes a microservice of the graph of an application: `NestFactory.createMicroservice(AppModule, dataflowMicroservice())`,
 * or `app.connectMicroservice(dataflowMicroservice())`.
 *
 * @publicApi
 */
export const dataflowMicroservice = (): AsyncMicroserviceOptions => ({
  useFactory: (strategy: DataflowServer) => ({ strategy }),
  inject: [DataflowServer],
});
