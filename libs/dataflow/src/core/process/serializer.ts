import { deserialize, serialize } from 'node:v8';

/** Writes and reads payloads that go to another process. @publicApi */
export interface PayloadSerializer {
  serialize(value: unknown): Uint8Array;
  deserialize(bytes: Uint8Array): unknown;
}

/** Of Node itself: keeps all plain data as it is, also `undefined`, NaN, -0, bigints and bytes. @publicApi */
export const v8Serializer: PayloadSerializer = {
  serialize: (value) => serialize(value),
  deserialize: (bytes) => deserialize(bytes) as unknown,
};
