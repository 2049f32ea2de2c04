import { type DynamicModule, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { ApplicationDataflow } from './application-dataflow.js';
import { Dataflow } from './core/index.js';
import { MODULE_OPTIONS, RESOLVED_OPTIONS } from './dataflow.constants.js';
import { DataflowLifecycle } from './dataflow.lifecycle.js';
import { coordinator, node, root } from './dataflow.module-definition.js';
import {
  type ResolvedModuleOptions,
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
      useFactory: ({ core, placement }: ResolvedModuleOptions) => new ApplicationDataflow(core, placement),
      inject: [RESOLVED_OPTIONS],
    },
    NodeExplorer,
    DataflowLifecycle,
    DataflowServer,
  ],
  exports: [Dataflow, DataflowServer],
})
export class DataflowModule {
  /** All nodes of the graph run in this process. */
  static forRoot(options: typeof root.OPTIONS_TYPE): DynamicModule {
    return complete(root.ConfigurableModuleClass.forRoot(options), resolveForRoot);
  }

  static forRootAsync(options: typeof root.ASYNC_OPTIONS_TYPE): DynamicModule {
    return complete(root.ConfigurableModuleClass.forRootAsync(options), resolveForRoot);
  }

  /** The nodes that the placement gives to this process run in it. */
  static forNode(options: typeof node.OPTIONS_TYPE): DynamicModule {
    return complete(node.ConfigurableModuleClass.forNode(options), resolveForNode);
  }

  static forNodeAsync(options: typeof node.ASYNC_OPTIONS_TYPE): DynamicModule {
    return complete(node.ConfigurableModuleClass.forNodeAsync(options), resolveForNode);
  }

  /** The process that tells the others how far they may go. It is the one that the placement names as its coordinator. */
  static forCoordinator(options: typeof coordinator.OPTIONS_TYPE): DynamicModule {
    return complete(coordinator.ConfigurableModuleClass.forCoordinator(options), resolveForCoordinator);
  }

  static forCoordinatorAsync(options: typeof coordinator.ASYNC_OPTIONS_TYPE): DynamicModule {
    return complete(coordinator.ConfigurableModuleClass.forCoordinatorAsync(options), resolveForCoordinator);
  }
}

const complete = <T>(definition: DynamicModule, resolve: (options: T) => ResolvedModuleOptions): DynamicModule => ({
  ...definition,
  module: DataflowModule,
  providers: [
    ...(definition.providers ?? []),
    { provide: RESOLVED_OPTIONS, useFactory: resolve, inject: [MODULE_OPTIONS] },
  ],
});
