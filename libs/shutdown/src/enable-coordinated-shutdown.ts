import type { INestApplicationContext } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { CoordinatedShutdown } from './core/index.js';
import { check } from './core/option-checks.js';
import { ShutdownModuleMissingError } from './errors/shutdown-module-missing.error.js';
import { guardApplication } from './nest/application-guards.js';
import { NestHost } from './nest/host.js';

/** @publicApi */
export interface EnableCoordinatedShutdownOptions {
  /** Signals that start the shutdown. @default the option `signals` of the module */
  signals?: readonly NodeJS.Signals[];
}

/**
 * Gives the shutdown full control of an application of any kind (HTTP, hybrid, microservice, context). It handles the
 * signals, runs the phases before `close()` touches a transport, and limits the time of Nest's own hooks. Call it in
 * main.ts right after creating the application, before `listen()` or `init()`. Calling it twice does nothing.
 *
 * Afterwards `app.close()` resolves when everything has finished. If the boot fails, or a signal arrives during it, the
 * parts that were already built are torn down.
 *
 * @example
 * ```ts
 * import { Module } from '@nestjs/common';
 * import { NestFactory } from '@nestjs/core';
 * import { CoordinatedShutdownModule, enableCoordinatedShutdown } from '@roost/shutdown';
 *
 * @Module({ imports: [CoordinatedShutdownModule.forRoot()] })
 * class AppModule {}
 *
 * const app = await NestFactory.create(AppModule);
 * enableCoordinatedShutdown(app);
 * await app.listen(3000);
 * ```
 *
 * @throws ShutdownModuleMissingError
 * @throws MissingMethodError if the installed version of Nest lacks a method that this function needs
 * @publicApi
 */
export function enableCoordinatedShutdown(
  app: INestApplicationContext,
  options: EnableCoordinatedShutdownOptions = {},
): CoordinatedShutdown {
  check.knownKeys(options, ['signals'], 'enableCoordinatedShutdown');
  const { shutdown, host } = find(app);
  if (host.ownsApp) return shutdown;
  guardApplication(app, shutdown, host);
  // From here on the guards track the boot. Until it starts, a signal does not wait for it.
  host.bootEnded();
  shutdown.installProcessHooks(options.signals);
  return shutdown;
}

/**
 * Does not use `app.get(CoordinatedShutdown)`: if that fails, Nest ends the process before the error can be explained.
 */
function find(app: INestApplicationContext): { shutdown: CoordinatedShutdown; host: NestHost } {
  for (const { providers } of app.get(ModulesContainer).values()) {
    const host: unknown = providers.get(NestHost)?.instance;
    const shutdown: unknown = providers.get(CoordinatedShutdown)?.instance;
    if (host instanceof NestHost && shutdown instanceof CoordinatedShutdown) return { shutdown, host };
  }
  throw new ShutdownModuleMissingError();
}
