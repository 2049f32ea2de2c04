import { ConfigurableModuleBuilder } from '@nestjs/common';
import { DATAFLOW_MODULE_OPTIONS } from './dataflow.constants.js';
import type { DataflowCoordinatorOptions, DataflowModuleOptions, DataflowNodeOptions } from './dataflow.options.js';

const build = <Options, Method extends string>(method: Method) =>
  new ConfigurableModuleBuilder<Options>({ moduleName: 'Dataflow', optionsInjectionToken: DATAFLOW_MODULE_OPTIONS })
    .setClassMethodName(method)
    .setFactoryMethodName('createDataflowOptions')
    .setExtras({ isGlobal: true }, (definition, { isGlobal }) => ({ ...definition, global: isGlobal }))
    .build();

/** One module builder for each static method of the module. */
export const configurableDataflow = {
  root: build<DataflowModuleOptions, 'forRoot'>('forRoot'),
  node: build<DataflowNodeOptions, 'forNode'>('forNode'),
  coordinator: build<DataflowCoordinatorOptions, 'forCoordinator'>('forCoordinator'),
};
