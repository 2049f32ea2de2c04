import type { ModulesContainer } from '@nestjs/core';
import { HealthCheckService } from '@nestjs/terminus';
import type { CoordinatedShutdown } from '@roost/shutdown';

interface TerminusLogger {
  error(...args: unknown[]): unknown;
}

/**
 * Terminus logs an error for every check that is down. During a shutdown readiness is down by intent, several times a
 * second: in the application's own Terminus controllers those lines are left out.
 */
export function quietDuringShutdown(modules: ModulesContainer, shutdown: CoordinatedShutdown): void {
  for (const { providers } of modules.values()) {
    // Of each module that is made by `TerminusModule`. The logger itself may be shared, with other applications too.
    const service = providers.get(HealthCheckService)?.instance as { logger?: TerminusLogger } | undefined;
    const logger = service?.logger;
    if (!service || typeof logger?.error !== 'function') continue;
    const error = (...args: unknown[]): unknown => (shutdown.reason ? undefined : logger.error(...args));
    service.logger = Object.create(logger, { error: { value: error } }) as TerminusLogger;
  }
}
