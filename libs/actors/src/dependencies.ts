import { NEST_METADATA } from './actors.constants.js';
import type { ActorClass } from './core/index.js';

interface Declared {
  readonly index?: number;
  readonly param?: unknown;
  readonly type?: unknown;
}

/** Returns the injection tokens of a class's dependencies, as Nest reads them. */
export function dependenciesOf(type: ActorClass): unknown[] {
  const tokens = [...read<unknown>(NEST_METADATA.parameterTypes, type)];
  for (const { index, param } of read<Declared>(NEST_METADATA.parameters, type)) tokens[index!] = param;
  for (const property of read<Declared>(NEST_METADATA.properties, type)) tokens.push(property.type);
  return tokens.map((token) => (isForwardReference(token) ? token.forwardRef() : token));
}

const read = <T>(key: string, type: ActorClass): readonly T[] =>
  (Reflect.getMetadata(key, type) as readonly T[] | undefined) ?? [];

const isForwardReference = (token: unknown): token is { forwardRef(): unknown } =>
  typeof (token as { forwardRef?: unknown } | null | undefined)?.forwardRef === 'function';
