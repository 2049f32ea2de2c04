import { RoostError } from '@roost/kernel';

/** Base of every error that the drain throws. @publicApi */
export class DrainError extends RoostError {}
