import { HealthError } from './health.error.js';

/** `HealthModule.forRoot()` is imported twice, so the routes of one would hide the routes of the other. @publicApi */
export class DuplicateProbesError extends HealthError {
  constructor(readonly path: string) {
    super(
      'HEALTH_DUPLICATE_PROBES',
      `Two HealthModule.forRoot() imports serve probes under "${path}". Keep one and give it all the indicators, or give ` +
        'the other its own `path` or `port`. Injecting ShutdownHealthIndicator does not need a second import.',
    );
  }
}
