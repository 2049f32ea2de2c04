import { type DynamicModule, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { ApplicationDataflow } from './application-dataflow.js';
import { Dataflow } from './core/index.js';
import { DATAFLOW_MODULE_OPTIONS, RESOLVED_DATAFLOW_OPTIONS } from './dataflow.constants.js';
import { DataflowLifecycle } from './dataflow.lifecycle.js';
import { configurableDataflow } from './dataflow.module-definition.js';
import {
  type ResolvedDataflowModuleOptions,
  resolveForCoordinator,
  resolveForNode,
  resolveForRoot,
} from './dataflow.options.js';
import { DataflowServer } from './dataflow.server.js';
import { NodeExplorer } from './node.explorer.js';

/**
 * Import it once, beside `CoordinatedShutdownModule`: the graph runs when the application has booted, its nodes are
 * providers of whatever modules, and a shutdown lets it handle every event up to its stop tag. `Dataflow` can be injected
 * everywhere.
 *
 * @publicApi
 */
@Module({
  imports: [DiscoveryModule],
  providers: [
    {
      provide: Dataflow,
      useFactory: ({ core, placement }: ResolvedDataflowModuleOptions) => new ApplicationDataflow(core, placement),
      inject: [RESOLVED_DATAFLOW_OPTIONS],
    },
    NodeExplorer,
    DataflowLifecycle,
    DataflowServer,
  ],
  exports: [Dataflow, DataflowServer],
})
export class DataflowModule {
  /** All nodes of the graph run in this process. */
  static forRoot(options: typeof configurableDataflow.root.OPTIONS_TYPE): DynamicModule {
    return complete(configurableDataflow.root.ConfigurableModuleClass.forRoot(options), resolveForRoot);
  }

  static forRootAsync(options: typeof configurableDataflow.root.ASYNC_OPTIONS_TYPE): DynamicModule {
    return complete(configurableDataflow.root.ConfigurableModuleClass.forRootAsync(options), resolveForRoot);
  }

  /** The nodes that the placement gives to this process run in it. */
  static forNode(options: typeof configurableDataflow.node.OPTIONS_TYPE): DynamicModule {
    return complete(configurableDataflow.node.ConfigurableModuleClass.forNode(options), resolveForNode);
  }

  static forNodeAsync(options: typeof configurableDataflow.node.ASYNC_OPTIONS_TYPE): DynamicModule {
    return complete(configurableDataflow.node.ConfigurableModuleClass.forNodeAsync(options), resolveForNode);
  }

  /** The process that tells the others how far they may go. It is the one that the placement names as its coordinator. */
  static forCoordinator(options: typeof configurableDataflow.coordinator.OPTIONS_TYPE): DynamicModule {
    return complete(
      configurableDataflow.coordinator.ConfigurableModuleClass.forCoordinator(options),
      resolveForCoordinator,
    );
  }

  static forCoordinatorAsync(options: typeof configurableDataflow.coordinator.ASYNC_OPTIONS_TYPE): DynamicModule {
    return complete(
      configurableDataflow.coordinator.ConfigurableModuleClass.forCoordinatorAsync(options),
      resolveForCoordinator,
    );
  }
}

const complete = <T>(
  definition: DynamicModule,
  resolve: (options: T) => ResolvedDataflowModuleOptions,
): DynamicModule => ({
  ...definition,
  module: DataflowModule,
  providers: [
    ...(definition.providers ?? []),
    { provide: RESOLVED_DATAFLOW_OPTIONS, useFactory: resolve, inject: [DATAFLOW_MODULE_OPTIONS] },
  ],
});
