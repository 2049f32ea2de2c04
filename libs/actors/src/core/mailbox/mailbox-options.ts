import { InvalidActorOptionError } from '../errors/invalid-actor-option.error.js';
import { check } from '../option-checks.js';
import type { Mailbox } from './mailbox.js';
import { PriorityMailbox } from './priority-mailbox.js';
import { RingMailbox } from './ring-mailbox.js';

/** What happens to a message for a full mailbox. What is dropped is a dead letter. @publicApi */
export const Overflow = {
  /** The message that comes is dropped. */
  DropNewest: 'drop-newest',
  /** The message that has waited longest is dropped. */
  DropOldest: 'drop-oldest',
  /** `offer()` waits for room; what comes by `tell()` is dropped. */
  Backpressure: 'backpressure',
  /** `tell()` throws `MailboxFullError`. */
  Throw: 'throw',
} as const;
export type Overflow = (typeof Overflow)[keyof typeof Overflow];

/** Made by `unbounded`, `bounded` and `priority`. @publicApi */
export interface MailboxOptions {
  readonly capacity: number;
  readonly overflow: Overflow;
  create(): Mailbox;
}

/** More than memory holds, and still a small integer for the engine. */
const NO_LIMIT = 2 ** 30 - 1;

const UNBOUNDED: MailboxOptions = {
  capacity: NO_LIMIT,
  overflow: Overflow.DropNewest,
  create: () => new RingMailbox(),
};

/** First in, first out, without a limit: the default. @publicApi */
export const unbounded = (): MailboxOptions => UNBOUNDED;

/** First in, first out, at most `capacity` messages. @publicApi */
export function bounded(capacity: number, overflow: Overflow = Overflow.DropNewest): MailboxOptions {
  check.number(capacity, 'bounded(capacity)', { least: 1, most: NO_LIMIT - 1, whole: true });
  if (!Object.values(Overflow).includes(overflow)) {
    throw new InvalidActorOptionError('bounded(overflow)', overflow, `one of ${Object.values(Overflow).join(', ')}`);
  }
  return { capacity, overflow, create: () => new RingMailbox() };
}

/**
 * The message with the smallest number first, equal ones in the order of arrival. Signals come before all messages,
 * `PoisonPill` after all that are waiting. A message for which `priorityOf` throws or is NaN comes last.
 *
 * @publicApi
 */
export function priority<M>(priorityOf: (message: M) => number): MailboxOptions {
  if (typeof priorityOf !== 'function') {
    throw new InvalidActorOptionError('priority(priorityOf)', priorityOf, 'a function that takes the message');
  }
  const numberFor = (message: unknown): number => {
    try {
      const number = Number(priorityOf(message as M));
      // Only signals come before everything.
      return Number.isNaN(number) ? Infinity : Math.max(number, -Number.MAX_VALUE);
    } catch {
      return Infinity;
    }
  };
  return { capacity: NO_LIMIT, overflow: Overflow.DropNewest, create: () => new PriorityMailbox(numberFor) };
}
