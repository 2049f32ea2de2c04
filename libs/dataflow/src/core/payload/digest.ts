/** Multipliers of MurmurHash3's finaliser: odd, and they spread every bit over all others. */
const A = 0x85ebca6b;
const B = 0xc2b2ae35;
const SEED = 0x3c6ef372;

const bits = new Float64Array(1);
const words = new Int32Array(bits.buffer);

/** 32 bits for any number, -0 not being 0. */
export function hashNumber(value: number): number {
  // Which of the many NaNs it is depends on how it was computed, down to what the compiler has made of that.
  bits[0] = Number.isNaN(value) ? NaN : value;
  return mix(mix(SEED, words[0]!, A), words[1]!, A);
}

/**
 * 64 bits that depend on every number mixed in and on their order. For telling runs apart, not for security: it is made to
 * cost nanoseconds.
 */
export class Digest {
  // Two hashes, side by side.
  #low = 0x9747b28c | 0;
  #high = SEED;

  /** A 32-bit integer. */
  mixInt(value: number): void {
    this.#low = mix(this.#low, value, A);
    this.#high = mix(this.#high, value, B);
  }

  mixString(value: string): void {
    this.mixInt(value.length);
    for (let i = 0; i < value.length; i++) this.mixInt(value.charCodeAt(i));
  }

  /** Half of it. */
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
