/** Multipliers of MurmurHash3's finaliser: odd, and they spread every bit over all others. */
const A = 0x85ebca6b;
const B = 0xc2b2ae35;

const bits = new Float64Array(1);
const words = new Int32Array(bits.buffer);

/**
 * 64 bits that depend on every number mixed in and on their order. For telling runs apart, not for security: it is made to
 * cost nanoseconds.
 */
export class Digest {
  #low = 0x9747b28c;
  #high = 0x3c6ef372;

  /** A 32-bit integer. */
  mixInt(value: number): void {
    this.#low = Math.imul(this.#low ^ value, A);
    this.#low ^= this.#low >>> 15;
    this.#high = Math.imul(this.#high ^ value ^ this.#low, B);
    this.#high ^= this.#high >>> 13;
  }

  /** Any number, bit by bit: -0 is not 0. */
  mixNumber(value: number): void {
    bits[0] = value;
    this.mixInt(words[0]!);
    this.mixInt(words[1]!);
  }

  mixString(value: string): void {
    this.mixInt(value.length);
    for (let i = 0; i < value.length; i++) this.mixInt(value.charCodeAt(i));
  }

  /** The state as one number of 53 bits. */
  toNumber(): number {
    return (this.#high & 0x1fffff) * 0x1_0000_0000 + (this.#low >>> 0);
  }

  toString(): string {
    return hex(this.#high) + hex(this.#low);
  }
}

const hex = (word: number): string => (word >>> 0).toString(16).padStart(8, '0');
