import type { Subject } from './subject.js';
import type { Variant } from './variants.js';

/** One externally visible property that must hold when an application stops. */
export interface DrainCase {
  readonly name: string;
  appliesTo(variant: Variant): boolean;
  /** Rejects with the reason if the property does not hold. */
  run(subject: Subject): Promise<void>;
}
