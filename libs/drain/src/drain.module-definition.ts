import { ConfigurableModuleBuilder } from '@nestjs/common';
import type { DrainOptions } from './core/index.js';

export const {
  ConfigurableModuleClass: ConfigurableDrainModule,
  MODULE_OPTIONS_TOKEN: DRAIN_MODULE_OPTIONS,
  OPTIONS_TYPE: DRAIN_OPTIONS_TYPE,
} = new ConfigurableModuleBuilder<DrainOptions>({ moduleName: 'Drain' })
  .setClassMethodName('forRoot')
  .setFactoryMethodName('createDrainOptions')
  .setExtras({ isGlobal: true }, (definition, { isGlobal }) => ({ ...definition, global: isGlobal }))
  .build();
