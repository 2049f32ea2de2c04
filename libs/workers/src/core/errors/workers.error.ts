import { RoostError } from '@roost/kernel';

/** Base of every error that `@roost/workers` throws. @publicApi */
export class WorkersError extends RoostError {}
