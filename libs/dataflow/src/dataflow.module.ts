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
 * Runs a graph in a Nest application. Import it once, together with `CoordinatedShutdownModule`. The graph starts when
 * the application has booted. Its nodes are providers of any module. During a shutdown, the graph handles every event
 * up to its stop tag. `Dataflow` can be injected everywhere.
 *
 * @example
 * ```ts
 * import { Module } from '@nestjs/common';
 * import {
 *   DataflowModule,
 *   DataflowNode,
 *   Input,
 *   InputPort,
 *   OnTimer,
 *   Output,
 *   OutputPort,
 *   Reaction,
 *   span,
 * } from '@roost/dataflow';
 * import { CoordinatedShutdownModule } from '@roost/shutdown';
 *
 * @DataflowNode()
 * class SourceNode {
 *   @Output() out!: OutputPort<number>;
 *   private count = 0;
 *
 *   @OnTimer({ period: span.seconds(1) })
 *   tick(): void {
 *     this.out.set(++this.count);
 *   }
 * }
 *
 * @DataflowNode()
 * class SinkNode {
 *   @Input() in!: InputPort<number>;
 *
 *   @Reaction('in')
 *   print(): void {
 *     console.log(this.in.value);
 *   }
 * }
 *
 * @Module({
 *   imports: [
 *     CoordinatedShutdownModule.forRoot(),
 *     DataflowModule.forRoot({ graph: (g) => g.connect(g.node(SourceNode).out, g.node(SinkNode).in) }),
 *   ],
 *   providers: [SourceNode, SinkNode],
 * })
 * export class AppModule {}
 * ```
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
  /** Runs all nodes of the graph in this process. */
  static forRoot(options: typeof configurableDataflow.root.OPTIONS_TYPE): DynamicModule {
    return complete(configurableDataflow.root.ConfigurableModuleClass.forRoot(options), resolveForRoot);
  }

  static forRootAsync(options: typeof configurableDataflow.root.ASYNC_OPTIONS_TYPE): DynamicModule {
    return complete(configurableDataflow.root.ConfigurableModuleClass.forRootAsync(options), resolveForRoot);
  }

  /** Runs the nodes that the placement assigns to this process. */
  static forNode(options: typeof configurableDataflow.node.OPTIONS_TYPE): DynamicModule {
    return complete(configurableDataflow.node.ConfigurableModuleClass.forNode(options), resolveForNode);
  }

  static forNodeAsync(options: typeof configurableDataflow.node.ASYNC_OPTIONS_TYPE): DynamicModule {
    return complete(configurableDataflow.node.ConfigurableModuleClass.forNodeAsync(options), resolveForNode);
  }

  /** Runs the coordinator, and the nodes that the placement assigns to its process, if any. */
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
