import type { Subject } from './subject.js';
import type { Variant } from './variants.js';

/** One thing that holds when an application stops, seen from outside. */
export interface DrainCase {
  readonly name: string;
  appliesTo(variant: Variant): boolean;
  /** Rejects, saying what does not hold. */
  run(subject: Subject): Promise<void>;
}
