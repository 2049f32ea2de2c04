import { RoostError } from '@roost/kernel';

/** Base of every error that the probes throw. @publicApi */
export class HealthError extends RoostError {}
