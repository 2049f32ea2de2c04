import { InvalidActorNameError } from '@roost/actors/core';

const MOST_NAME_LENGTH = 255;
const ILLEGAL = /^\$|[/?#\s\p{Cc}]/u;

/** The rule of the engine for names; a spec compares the two. */
export function assertName(name: unknown, parent: string): asserts name is string {
  const legal = typeof name === 'string' && name !== '' && name.length <= MOST_NAME_LENGTH && !ILLEGAL.test(name);
  if (!legal) throw new InvalidActorNameError(name, parent);
}
