import type { ModuleMetadata } from '@nestjs/common';
import { RecordingLogger } from '@roost/kernel/testing';
import { CoordinatedShutdownModule, type CoordinatedShutdownOptions } from '@roost/shutdown';
import { TestApps } from '@roost/shutdown/testing';
import { PathRecordingLogger } from './core/actor-system.fixture.js';
import { ActorSystemModule, type ActorSystemModuleOptions } from './index.js';

export interface AppMetadata extends ModuleMetadata {
  /** Options of the default system; `false` creates none. */
  actors?: ActorSystemModuleOptions | false;
  /** Options of a coordinated shutdown. @default no coordinated shutdown */
  shutdown?: CoordinatedShutdownOptions;
}

/** A root module with these contents and a system that prints nothing by default. */
export const rootModule = ({ actors = {}, shutdown, imports = [], ...metadata }: AppMetadata) => ({
  module: class RootModule {},
  imports: [
    ...(shutdown
      ? [CoordinatedShutdownModule.forRoot({ logger: new RecordingLogger(), signals: [], ...shutdown })]
      : []),
    ...(actors ? [ActorSystemModule.forRoot({ logger: new PathRecordingLogger(), ...actors })] : []),
    ...imports,
  ],
  ...metadata,
});

export class Apps extends TestApps<AppMetadata> {
  constructor() {
    super(rootModule);
  }
}
