import { Digest, hashNumber } from './digest.js';

/**
 * Values that can be sent over a connection: they are the same on the other side of a wire. Objects must be plain.
 *
 * @publicApi
 */
export type PlainData =
  | undefined
  | null
  | boolean
  | number
  | bigint
  | string
  | Uint8Array
  | readonly PlainData[]
  | { readonly [key: string]: PlainData };

/** An immutable payload, with its hash for the trace. */
export interface Sealed {
  readonly value: unknown;
  /** 32-bit hash. */
  readonly hash: number;
  /** Whether it contains bytes. They cannot be frozen, so each receiver gets a copy. */
  readonly hasBytes: boolean;
}

/** A payload contains a value that is not plain data. `path` is its place in the payload. */
export class NotPlainData extends Error {
  constructor(
    readonly path: string,
    readonly found: string,
  ) {
    super(`${path || 'the value'} is ${found}`);
  }
}

const TYPE = {
  undefined: 1,
  null: 2,
  true: 3,
  false: 4,
  number: 5,
  bigint: 6,
  string: 7,
  bytes: 8,
  array: 9,
  object: 10,
};

/** Payloads are trees. A deeper one counts as a cycle. */
const MAX_DEPTH = 1_000;
/** Maximum number of path steps in an error. */
const MAX_SHOWN = 20;

/**
 * Deep-freezes and hashes a payload, so that a receiver in the same process sees the same value as a receiver in
 * another process. The hash does not depend on the order of an object's keys.
 *
 * @throws NotPlainData
 */
export function seal(value: unknown): Sealed {
  // A number needs neither traversal nor freezing.
  if (typeof value === 'number') return { value, hash: hashNumber(value), hasBytes: false };
  const sealing = new Sealing();
  const sealed = sealing.visit(value);
  return { value: sealed, hash: sealing.digest.toInt(), hasBytes: sealing.hasBytes };
}

/** Returns the payload for one receiver. Bytes are copied, because there may be other receivers. */
export const unshared = ({ value, hasBytes }: Sealed): unknown => (hasBytes ? seal(value).value : value);

class Sealing {
  readonly digest = new Digest();
  hasBytes = false;
  readonly #path: (string | number)[] = [];

  visit(value: unknown): unknown {
    const { digest } = this;
    switch (typeof value) {
      case 'number':
        digest.mixInt(TYPE.number);
        digest.mixInt(hashNumber(value));
        return value;
      case 'string':
        digest.mixInt(TYPE.string);
        digest.mixString(value);
        return value;
      case 'boolean':
        digest.mixInt(value ? TYPE.true : TYPE.false);
        return value;
      case 'undefined':
        digest.mixInt(TYPE.undefined);
        return value;
      case 'bigint':
        digest.mixInt(TYPE.bigint);
        digest.mixString(value.toString(36));
        return value;
      case 'object':
        if (value !== null) return this.#object(value);
        digest.mixInt(TYPE.null);
        return value;
      default:
        throw this.#refusal(`a ${typeof value}`);
    }
  }

  #object(value: object): unknown {
    if (this.#path.length > MAX_DEPTH) throw this.#refusal(`nested more than ${MAX_DEPTH} levels deep, or a cycle`);
    if (Array.isArray(value)) return this.#array(value);
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype === Object.prototype || prototype === null) return this.#record(value as Record<string, unknown>);
    if (value instanceof Uint8Array) return this.#bytes(value);
    // A plain object of another realm, as in a test runner.
    if (Object.getPrototypeOf(prototype) === null && nameOf(value) === 'Object')
      return this.#record(value as Record<string, unknown>);
    throw this.#refusal(`a ${nameOf(value)}`);
  }

  #array(value: unknown[]): unknown {
    this.digest.mixInt(TYPE.array);
    this.digest.mixInt(value.length);
    for (let i = 0; i < value.length; i++) {
      const item = value[i];
      const sealed = this.#child(i, item);
      if (!Object.is(sealed, item)) value = replaced(value, i, sealed) as unknown[];
    }
    return Object.freeze(value);
  }

  #record(value: Record<string, unknown>): unknown {
    const keys = Object.keys(value);
    if (keys.length > 1) keys.sort();
    this.digest.mixInt(TYPE.object);
    this.digest.mixInt(keys.length);
    for (const key of keys) {
      this.digest.mixString(key);
      const item = value[key];
      const sealed = this.#child(key, item);
      if (!Object.is(sealed, item)) value = replaced(value, key, sealed) as Record<string, unknown>;
    }
    return Object.freeze(value);
  }

  #child(key: string | number, item: unknown): unknown {
    this.#path.push(key);
    const sealed = this.visit(item);
    this.#path.pop();
    return sealed;
  }

  #refusal(found: string): NotPlainData {
    const steps = this.#path.slice(0, MAX_SHOWN).map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`));
    return new NotPlainData(steps.join(''), found);
  }

  #bytes(value: Uint8Array): Uint8Array {
    this.hasBytes = true;
    this.digest.mixInt(TYPE.bytes);
    this.digest.mixInt(value.length);
    for (const byte of value) this.digest.mixInt(byte);
    return new Uint8Array(value);
  }
}

/** Returns a changed copy, because the sender continues to use the original and it may be frozen. */
const replaced = (value: object, key: string | number, item: unknown): object =>
  Object.assign(Array.isArray(value) ? value.slice() : { ...value }, { [key]: item });

const nameOf = (value: object): string => (value.constructor as { name?: string } | undefined)?.name || 'object';
