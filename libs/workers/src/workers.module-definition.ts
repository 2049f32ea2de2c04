import { ConfigurableModuleBuilder } from '@nestjs/common';
import type { WorkersOptions } from './core/index.js';

export const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN, OPTIONS_TYPE, ASYNC_OPTIONS_TYPE } =
  new ConfigurableModuleBuilder<WorkersOptions>({ moduleName: 'Workers' })
    .setClassMethodName('forRoot')
    .setFactoryMethodName('createWorkersOptions')
    .setExtras({ isGlobal: true }, (definition, { isGlobal }) => ({ ...definition, global: isGlobal }))
    .build();
