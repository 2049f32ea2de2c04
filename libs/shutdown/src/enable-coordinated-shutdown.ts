import type { INestApplicationContext } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { CoordinatedShutdown } from './core/index.js';
import { check } from './core/option-checks.js';
import { ShutdownModuleMissingError } from './errors/shutdown-module-missing.error.js';
import { guardApplication } from './nest/application-guards.js';
import { NestHost } from './nest/host.js';

/** @publicApi */
export interface EnableCoordinatedShutdownOptions {
  /** @default the option `signals` of the module */
  signals?: readonly NodeJS.Signals[];
}

/**
 * Gives the shutdown full control of an application of any kind (HTTP, hybrid, microservice, context): it owns the
 * signals, runs the phases before `close()` touches a transport, and bounds Nest's own hooks. Call it in main.ts right
 * after the application is created, before `listen()` or `init()`. Calling it twice does nothing.
 *
 * Afterwards `app.close()` resolves when everything is over, and a boot that fails or is overtaken by a signal tears
 * down what was built.
 *
 * @throws ShutdownModuleMissingError
 * @throws MissingMethodError when the installed version of Nest lacks a method that this relies on
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
  // From here on the boot is what the guards see of it. One that has not begun is not waited for.
  host.bootEnded();
  shutdown.installProcessHooks(options.signals);
  return shutdown;
}

/** Not by `app.get(CoordinatedShutdown)`: when that fails, Nest ends the process before the failure can be explained. */
function find(app: INestApplicationContext): { shutdown: CoordinatedShutdown; host: NestHost } {
  for (const { providers } of app.get(ModulesContainer).values()) {
    const host: unknown = providers.get(NestHost)?.instance;
    const shutdown: unknown = providers.get(CoordinatedShutdown)?.instance;
    if (host instanceof NestHost && shutdown instanceof CoordinatedShutdown) return { shutdown, host };
  }
  throw new ShutdownModuleMissingError();
}
