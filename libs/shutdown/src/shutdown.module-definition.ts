import { ConfigurableModuleBuilder } from '@nestjs/common';
import type { CoordinatedShutdownOptions } from './core/index.js';

export const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN, OPTIONS_TYPE, ASYNC_OPTIONS_TYPE } =
  new ConfigurableModuleBuilder<CoordinatedShutdownOptions>({ moduleName: 'CoordinatedShutdown' })
    .setClassMethodName('forRoot')
    .setFactoryMethodName('createShutdownOptions')
    .setExtras({ isGlobal: true }, (definition, { isGlobal }) => ({ ...definition, global: isGlobal }))
    .build();
