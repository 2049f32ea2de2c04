import type { ModulesContainer } from '@nestjs/core';
import { HealthCheckService } from '@nestjs/terminus';
import { override } from '@roost/kernel';
import type { CoordinatedShutdown } from '@roost/shutdown';

interface TerminusLogger {
  error(...args: unknown[]): unknown;
}

/**
 * Terminus logs an error for every check that is down. During a shutdown readiness is down on purpose, and probes ask
 * several times a second, so the Terminus controllers of the application log nothing then.
 *
 * @throws MissingMethodError
 */
export function quietDuringShutdown(modules: ModulesContainer, shutdown: CoordinatedShutdown): void {
  for (const { providers } of modules.values()) {
    // Every import of `TerminusModule` has a service of its own.
    const service = providers.get(HealthCheckService)?.instance as { logger?: TerminusLogger | null } | undefined;
    if (!service?.logger) continue;
    service.logger = quietLogger(service.logger, shutdown);
  }
}

/** A logger of its own for the service, because other services and other applications may share the given one. */
function quietLogger(logger: TerminusLogger, shutdown: CoordinatedShutdown): TerminusLogger {
  const quiet = Object.create(logger) as TerminusLogger;
  override(quiet, 'error', 'HealthModule', (error) => (...args) => {
    if (!shutdown.reason) error.apply(logger, args);
  });
  return quiet;
}
