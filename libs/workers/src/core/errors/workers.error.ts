import { RoostError } from '@roost/kernel';

/** Base class of all errors that `@roost/workers` throws. @publicApi */
export class WorkersError extends RoostError {}
