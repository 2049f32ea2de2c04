import type { INestApplicationContext } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { stackOf } from '@roost/kernel';
import { ApplicationCloseReason, BootstrapFailedReason, CoordinatedShutdown } from './core/index.js';
import { ShutdownModuleMissingError } from './errors/shutdown-module-missing.error.js';
import { ApplicationStoppedError } from './errors/application-stopped.error.js';
import { NestHost } from './nest-host.js';

/** @publicApi */
export interface EnableCoordinatedShutdownOptions {
  /** @default the option `signals` of the module */
  signals?: readonly NodeJS.Signals[];
}

type Method = (this: unknown, ...args: unknown[]) => unknown;

/**
 * Gives the shutdown full control of an application of any kind (HTTP, hybrid, microservice, context): it owns the
 * signals, runs the phases before `close()` touches a transport, and bounds Nest's own hooks. Call it in main.ts right
 * after the application is created, before `listen()` or `init()`. Calling it twice does nothing.
 *
 * Afterwards `app.close()` resolves when everything is over, and a boot that fails or is overtaken by a signal tears
 * down what was built.
 *
 * @throws ShutdownModuleMissingError
 * @publicApi
 */
export function enableCoordinatedShutdown(
  app: INestApplicationContext,
  options: EnableCoordinatedShutdownOptions = {},
): CoordinatedShutdown {
  const { shutdown, host } = find(app);
  if (host.ownsApp) return shutdown;

  const closeNest = methodOf(app, 'close')!;
  host.ownApp(async (signal) => {
    await closeNest.call(app, signal);
  });
  replace(app, 'close', async () => {
    if (shutdown.state === 'running') void shutdown.run(new ApplicationCloseReason());
    await shutdown.terminated;
  });

  // Nest's own signal listeners (enableShutdownHooks) do not go through close(): here they wait for the phases too.
  const prepareClose = methodOf(app, 'prepareClose');
  replace(app, 'prepareClose', async function (this: unknown, ...args: unknown[]) {
    await host.phasesOver();
    return prepareClose?.apply(this, args);
  });

  /** A step of the boot: does not begin once a shutdown has, and when it fails, what was built is torn down. */
  const guard = (name: string, { isBoot }: { isBoot: boolean }): void => {
    const original = methodOf(app, name);
    if (!original) return;
    replace(app, name, async function (this: unknown, ...args: unknown[]) {
      if (shutdown.reason) return stayAway(shutdown);
      if (isBoot) host.bootBegan();
      try {
        return await original.apply(this, args);
      } catch (error) {
        host.bootEnded();
        return await tearDown(shutdown, error);
      } finally {
        if (isBoot) host.bootEnded();
      }
    });
  };
  const transport = (app as { getTransportServer?: () => object }).getTransportServer?.();
  guard('init', { isBoot: true });
  guard('listen', { isBoot: transport !== undefined });
  guard('startAllMicroservices', { isBoot: false });
  if (transport) holdTransport(transport, shutdown, host);

  // From here on the boot is what the guards see of it; one that has not begun is not waited for.
  host.bootEnded();
  shutdown.installProcessHooks(options.signals);
  return shutdown;
}

/** Not by `app.get(CoordinatedShutdown)`: on a failure in there Nest ends the process before it can be explained. */
function find(app: INestApplicationContext): { shutdown: CoordinatedShutdown; host: NestHost } {
  for (const { providers } of app.get(ModulesContainer).values()) {
    const host: unknown = providers.get(NestHost)?.instance;
    const shutdown: unknown = providers.get(CoordinatedShutdown)?.instance;
    if (host instanceof NestHost && shutdown instanceof CoordinatedShutdown) return { shutdown, host };
  }
  throw new ShutdownModuleMissingError();
}

/** A microservice boots inside `listen()`; its transport is where the boot ends and the listening begins. */
function holdTransport(transport: object, shutdown: CoordinatedShutdown, host: NestHost): void {
  const listen = methodOf(transport, 'listen')!;
  replace(transport, 'listen', function (this: unknown, ...args: unknown[]) {
    host.bootEnded();
    if (!shutdown.reason) return listen.apply(this, args);
    // app.listen() stays pending, and the caller never goes on.
    if (shutdown.endsProcess) return undefined;
    const [callback] = args as [(error: Error) => void];
    return callback(new ApplicationStoppedError(shutdown.reason));
  });
}

/** For who wants to boot an application that is going down. When the process is about to end, they never go on. */
function stayAway(shutdown: CoordinatedShutdown): Promise<never> {
  if (shutdown.endsProcess) return new Promise(() => undefined);
  return Promise.reject(new ApplicationStoppedError(shutdown.reason));
}

async function tearDown(shutdown: CoordinatedShutdown, error: unknown): Promise<never> {
  const { logger, exit } = shutdown.options;
  // Whoever awaits the boot may not get to hear of it before the process exits.
  if (exit.process === true || (shutdown.reason && shutdown.endsProcess)) {
    logger.error(`the boot failed: ${stackOf(error)}`);
  }
  if (shutdown.reason && shutdown.endsProcess) return stayAway(shutdown);
  // Being kept from listening by a shutdown is no further reason for it.
  if (!(error instanceof ApplicationStoppedError)) void shutdown.run(new BootstrapFailedReason(error));
  await shutdown.terminated;
  throw error;
}

/**
 * Applications are proxies that forward calls to the method the instance has at that moment, and drop assignments.
 * So methods are read from the instance or its class, and replaced with `defineProperty`, which passes through.
 */
function methodOf(target: object, name: string): Method | undefined {
  const own: unknown = Object.getOwnPropertyDescriptor(target, name)?.value;
  const method: unknown = own ?? (Object.getPrototypeOf(target) as Record<string, unknown>)[name];
  return typeof method === 'function' ? (method as Method) : undefined;
}

function replace(target: object, name: string, value: Method): void {
  Object.defineProperty(target, name, { value, configurable: true, writable: true });
}
