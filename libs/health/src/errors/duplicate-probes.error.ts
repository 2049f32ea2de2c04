import { HealthError } from './health.error.js';

/** `HealthModule.forRoot()` is there twice: the routes of one would hide those of the other. @publicApi */
export class DuplicateProbesError extends HealthError {
  constructor(readonly path: string) {
    super(
      'HEALTH_DUPLICATE_PROBES',
      `Two HealthModule.forRoot() serve their probes under "${path}". Keep one and give it all the indicators, or give ` +
        'the other a `path` or `port` of its own. To inject ShutdownHealthIndicator no second one is needed.',
    );
  }
}
