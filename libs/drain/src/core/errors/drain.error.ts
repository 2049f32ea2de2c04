import { RoostError } from '@roost/kernel';

/** Base class of all errors that the drain throws. @publicApi */
export class DrainError extends RoostError {}
