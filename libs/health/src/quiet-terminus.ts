import type { ModulesContainer } from '@nestjs/core';
import { HealthCheckService } from '@nestjs/terminus';
import { override } from '@roost/kernel';
import type { CoordinatedShutdown } from '@roost/shutdown';

interface TerminusLogger {
  error(...args: unknown[]): unknown;
}

/**
 * Terminus logs an error for every check that is down. During a shutdown readiness is down on purpose, and probes
 * arrive several times a second, so the application's Terminus controllers log nothing then.
 *
 * @throws MissingMethodError
 */
export function quietDuringShutdown(modules: ModulesContainer, shutdown: CoordinatedShutdown): void {
  for (const { providers } of modules.values()) {
    // Every import of `TerminusModule` creates its own service.
    const service = providers.get(HealthCheckService)?.instance as { logger?: TerminusLogger | null } | undefined;
    if (!service?.logger) continue;
    service.logger = quietLogger(service.logger, shutdown);
  }
}

/** Creates a separate logger for the service, because other services and applications may share the given one. */
function quietLogger(logger: TerminusLogger, shutdown: CoordinatedShutdown): TerminusLogger {
  const quiet = Object.create(logger) as TerminusLogger;
  override(quiet, 'error', 'HealthModule', (error) => (...args) => {
    if (!shutdown.reason) error.apply(logger, args);
  });
  return quiet;
}
