import { ConfigurableModuleBuilder } from '@nestjs/common';
import type { WorkersOptions } from './core/index.js';

export const {
  ConfigurableModuleClass: ConfigurableWorkersModule,
  MODULE_OPTIONS_TOKEN: WORKERS_MODULE_OPTIONS,
  OPTIONS_TYPE: WORKERS_OPTIONS_TYPE,
} = new ConfigurableModuleBuilder<WorkersOptions>({ moduleName: 'Workers' })
  .setClassMethodName('forRoot')
  .setFactoryMethodName('createWorkersOptions')
  .setExtras({ isGlobal: true }, (definition, { isGlobal }) => ({ ...definition, global: isGlobal }))
  .build();
