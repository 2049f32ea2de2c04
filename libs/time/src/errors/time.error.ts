import { RoostError } from '@roost/kernel';

/** Base of every error this package throws. @publicApi */
export class TimeError extends RoostError {}
