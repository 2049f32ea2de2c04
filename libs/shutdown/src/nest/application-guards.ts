import type { INestApplicationContext } from '@nestjs/common';
import { MissingMethodError, override, stackOf } from '@roost/kernel';
import { ApplicationCloseReason, BootstrapFailedReason, type CoordinatedShutdown } from '../core/index.js';
import { ApplicationStoppedError } from '../errors/application-stopped.error.js';
import type { NestHost } from './host.js';

const DECLARED_BY = 'enableCoordinatedShutdown()';

type Method = (this: unknown, ...args: unknown[]) => unknown;

/** The methods that are replaced. One is protected, and some exist in one kind of application only. */
type Application = Record<'close' | 'prepareClose' | 'init' | 'listen' | 'startAllMicroservices', Method>;

interface Guarded {
  readonly app: Application;
  readonly shutdown: CoordinatedShutdown;
  readonly host: NestHost;
}

/** Makes the shutdown run before the application closes, and before each step of its boot. */
export function guardApplication(app: INestApplicationContext, shutdown: CoordinatedShutdown, host: NestHost): void {
  const guarded: Guarded = { app: app as unknown as Application, shutdown, host };
  const kind = kindOf(app);
  guardClose(guarded);
  guardBootStep(guarded, 'init', { isBoot: true });
  // A microservice boots inside `listen()`, other applications in `init()`.
  if (kind !== 'context') guardBootStep(guarded, 'listen', { isBoot: kind === 'microservice' });
  if (kind === 'http') guardBootStep(guarded, 'startAllMicroservices', { isBoot: false });
  if (kind === 'microservice') guardTransport(transportOf(app), shutdown, host);
}

type ApplicationKind = 'http' | 'microservice' | 'context';

function kindOf(app: INestApplicationContext): ApplicationKind {
  if ('getHttpAdapter' in app) return 'http';
  return 'listen' in app ? 'microservice' : 'context';
}

function guardClose({ app, shutdown, host }: Guarded): void {
  override(app, 'close', DECLARED_BY, (close) => {
    host.ownApp(async (signal) => {
      await close.call(app, signal);
    });
    return async () => {
      if (shutdown.state === 'running') void shutdown.run(new ApplicationCloseReason());
      await shutdown.terminated;
    };
  });

  // Nest's own signal listeners (enableShutdownHooks) bypass close(), so they wait for the phases here.
  override(
    app,
    'prepareClose',
    DECLARED_BY,
    (prepareClose) =>
      async function (...args) {
        await host.phasesOver();
        return prepareClose.apply(this, args);
      },
  );
}

/** Refuses a boot step once a shutdown has started. If the step fails, tears down the parts that were already built. */
function guardBootStep(
  { app, shutdown, host }: Guarded,
  step: keyof Application,
  { isBoot }: { isBoot: boolean },
): void {
  override(
    app,
    step,
    DECLARED_BY,
    (original) =>
      async function (...args) {
        if (shutdown.reason) return refuseBoot(shutdown);
        if (isBoot) host.bootBegan();
        try {
          return await original.apply(this, args);
        } catch (error) {
          host.bootEnded();
          return await tearDown(shutdown, error);
        } finally {
          if (isBoot) host.bootEnded();
        }
      },
  );
}

interface Transport {
  listen: Method;
}

function transportOf(app: object): Transport {
  const { getTransportServer } = app as { getTransportServer?: () => Transport };
  if (!getTransportServer) throw new MissingMethodError('getTransportServer', DECLARED_BY, app);
  return getTransportServer.call(app);
}

/** The `listen` of a microservice's transport marks the end of its boot and the start of its listening. */
function guardTransport(transport: Transport, shutdown: CoordinatedShutdown, host: NestHost): void {
  override(
    transport,
    'listen',
    DECLARED_BY,
    (listen) =>
      function (...args) {
        host.bootEnded();
        if (!shutdown.reason) return listen.apply(this, args);
        // app.listen() stays pending, so its caller does not continue.
        if (shutdown.endsProcess) return undefined;
        const [callback] = args as [(error: Error) => void];
        return callback(new ApplicationStoppedError(shutdown.reason));
      },
  );
}

/** Result of a boot step called after the shutdown has started. Never settles if the process is about to exit. */
function refuseBoot(shutdown: CoordinatedShutdown): Promise<never> {
  if (shutdown.endsProcess) return new Promise(() => undefined);
  return Promise.reject(new ApplicationStoppedError(shutdown.reason));
}

async function tearDown(shutdown: CoordinatedShutdown, error: unknown): Promise<never> {
  const { logger, exit } = shutdown.options;
  // The process may exit before the caller of the boot sees the error.
  if (exit.process === true || (shutdown.reason && shutdown.endsProcess)) {
    logger.error(`the boot failed: ${stackOf(error)}`);
  }
  if (shutdown.reason && shutdown.endsProcess) return refuseBoot(shutdown);
  // An application that may not listen because of a shutdown adds no reason to that shutdown.
  if (!(error instanceof ApplicationStoppedError)) void shutdown.run(new BootstrapFailedReason(error));
  await shutdown.terminated;
  throw error;
}
