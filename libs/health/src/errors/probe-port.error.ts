import { messageOf } from '@roost/kernel';
import { HealthError } from './health.error.js';

/** The server for the probes cannot listen on its port. @publicApi */
export class ProbePortError extends HealthError {
  constructor(
    readonly port: number,
    cause: unknown,
  ) {
    super(
      'HEALTH_PORT',
      `HealthModule cannot listen on port ${port} for the probes: ${messageOf(cause)}. Choose another \`port\`, or remove it ` +
        'to serve the probes on the port of the application.',
      { cause },
    );
  }
}
