import type { HttpServer } from '@nestjs/common';
import { override } from '@roost/kernel';
import type { CoordinatedShutdown } from '../core/index.js';
import { ApplicationStoppedError } from '../errors/application-stopped.error.js';
import type { NestHost } from './host.js';

const DECLARED_BY = 'CoordinatedShutdownModule';

interface Adapter {
  beforeClose: () => unknown;
  listen: (...args: unknown[]) => unknown;
}

/**
 * Makes the phases run before an HTTP application closes: Nest awaits `beforeClose` before any shutdown hook, on
 * `app.close()` as well as on signals. Also keeps an application that is shutting down from listening.
 */
export function guardAdapter(adapter: HttpServer, shutdown: CoordinatedShutdown, host: NestHost): void {
  const guarded = adapter as unknown as Adapter;
  override(guarded, 'beforeClose', DECLARED_BY, (beforeClose) => async () => {
    await beforeClose.call(adapter);
    await host.phasesOver();
  });
  override(guarded, 'listen', DECLARED_BY, (listen) => (...args) => {
    const { reason } = shutdown;
    if (!reason) return listen.apply(adapter, args);
    // app.listen() stays pending, so its caller does not continue.
    if (shutdown.endsProcess) return undefined;
    throw new ApplicationStoppedError(reason);
  });
}
