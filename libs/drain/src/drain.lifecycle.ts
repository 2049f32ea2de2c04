import { Injectable, type OnModuleInit, Optional } from '@nestjs/common';
import { CoordinatedShutdown } from '@roost/shutdown';
import { Drain } from './core/index.js';
import { registerDrainTasks } from './core/shutdown-tasks.js';
import { DrainTargetExplorer } from './drain-target.explorer.js';
import { DrainShutdownMissingError } from './errors/drain-shutdown-missing.error.js';

/** Connects the drain to the shutdown and to the servers of the application. */
@Injectable()
export class DrainLifecycle implements OnModuleInit {
  constructor(
    drain: Drain,
    private readonly explorer: DrainTargetExplorer,
    @Optional() shutdown?: CoordinatedShutdown,
  ) {
    if (!shutdown) throw new DrainShutdownMissingError();
    registerDrainTasks(shutdown, drain);
    explorer.watch();
  }

  onModuleInit(): void {
    this.explorer.attachHttpServer();
  }
}
