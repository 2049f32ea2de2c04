import { ConfigurableModuleBuilder } from '@nestjs/common';
import { MODULE_OPTIONS } from './dataflow.constants.js';
import type { DataflowCoordinatorOptions, DataflowModuleOptions, DataflowNodeOptions } from './dataflow.options.js';

const build = <Options, Method extends string>(method: Method) =>
  new ConfigurableModuleBuilder<Options>({ moduleName: 'Dataflow', optionsInjectionToken: MODULE_OPTIONS })
    .setClassMethodName(method)
    .setFactoryMethodName('createDataflowOptions')
    .setExtras({ isGlobal: true }, (definition, { isGlobal }) => ({ ...definition, global: isGlobal }))
    .build();

export const root = build<DataflowModuleOptions, 'forRoot'>('forRoot');
export const node = build<DataflowNodeOptions, 'forNode'>('forNode');
export const coordinator = build<DataflowCoordinatorOptions, 'forCoordinator'>('forCoordinator');
