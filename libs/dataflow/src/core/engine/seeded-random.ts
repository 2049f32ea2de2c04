import { Digest } from '../payload/digest.js';

/** Random number generator "mulberry32": the same seed gives the same numbers on every machine. */
export class SeededRandom {
  #state: number;

  constructor(seed: string) {
    const digest = new Digest();
    digest.mixString(seed);
    this.#state = digest.toInt();
  }

  /** Returns a number of at least 0 and below 1. */
  next(): number {
    return this.#word() / 0x1_0000_0000;
  }

  /** Returns a UUID of version 4. */
  uuid(): string {
    const hex = Array.from({ length: 4 }, () => this.#word().toString(16).padStart(8, '0')).join('');
    const variant = '89ab'[parseInt(hex[16]!, 16) & 3]!;
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
  }

  #word(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return (t ^ (t >>> 14)) >>> 0;
  }
}
