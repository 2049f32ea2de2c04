import { HealthError } from './health.error.js';

/** `HealthModule` is used in an application without coordinated shutdown. @publicApi */
export class HealthShutdownMissingError extends HealthError {
  constructor() {
    super(
      'HEALTH_SHUTDOWN_MISSING',
      'HealthModule found no CoordinatedShutdown. Add CoordinatedShutdownModule.forRoot() of @roost/shutdown to the ' +
        'imports of the root module.',
    );
  }
}
