import { ConfigurableModuleBuilder } from '@nestjs/common';
import type { DrainOptions } from './core/index.js';

export const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN, OPTIONS_TYPE, ASYNC_OPTIONS_TYPE } =
  new ConfigurableModuleBuilder<DrainOptions>({ moduleName: 'Drain' })
    .setClassMethodName('forRoot')
    .setFactoryMethodName('createDrainOptions')
    .setExtras({ isGlobal: true }, (definition, { isGlobal }) => ({ ...definition, global: isGlobal }))
    .build();
