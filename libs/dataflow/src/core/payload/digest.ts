/** Multipliers of MurmurHash3's finalizer. They are odd, and spread every bit over all others. */
const A = 0x85ebca6b;
const B = 0xc2b2ae35;
const SEED = 0x3c6ef372;

const bits = new Float64Array(1);
const words = new Int32Array(bits.buffer);

/** Returns a 32-bit hash of any number. -0 and 0 differ. */
export function hashNumber(value: number): number {
  // The bit pattern of a NaN depends on how it was computed, and even on the compiler.
  bits[0] = Number.isNaN(value) ? NaN : value;
  return mix(mix(SEED, words[0]!, A), words[1]!, A);
}

/**
 * A 64-bit digest of all values mixed in and of their order. It distinguishes runs and is not for security: mixing in a
 * value takes nanoseconds.
 */
export class Digest {
  // Two independent hashes.
  #low = 0x9747b28c | 0;
  #high = SEED;

  /** Mixes in a 32-bit integer. */
  mixInt(value: number): void {
    this.#low = mix(this.#low, value, A);
    this.#high = mix(this.#high, value, B);
  }

  mixString(value: string): void {
    this.mixInt(value.length);
    for (let i = 0; i < value.length; i++) this.mixInt(value.charCodeAt(i));
  }

  /** Returns the lower 32 bits. */
  toInt(): number {
    return this.#low;
  }

  toString(): string {
    return hex(this.#high) + hex(this.#low);
  }
}

function mix(hash: number, value: number, multiplier: number): number {
  const product = Math.imul(hash ^ value, multiplier);
  return product ^ (product >>> 15);
}

const hex = (word: number): string => (word >>> 0).toString(16).padStart(8, '0');
