import { ConfigurableModuleBuilder } from '@nestjs/common';
import type { CoordinatedShutdownOptions } from './core/index.js';

export const {
  ConfigurableModuleClass: ConfigurableShutdownModule,
  MODULE_OPTIONS_TOKEN: SHUTDOWN_MODULE_OPTIONS,
  OPTIONS_TYPE: SHUTDOWN_OPTIONS_TYPE,
} = new ConfigurableModuleBuilder<CoordinatedShutdownOptions>({ moduleName: 'CoordinatedShutdown' })
  .setClassMethodName('forRoot')
  .setFactoryMethodName('createShutdownOptions')
  .setExtras({ isGlobal: true }, (definition, { isGlobal }) => ({ ...definition, global: isGlobal }))
  .build();
