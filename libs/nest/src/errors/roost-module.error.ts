import { RoostError } from '@roost/kernel';

/** Base of every error that `RoostModule` throws. @publicApi */
export class RoostModuleError extends RoostError {}
