import { InvalidActorOptionError } from '../errors/invalid-actor-option.error.js';
import { check } from '../option-checks.js';
import type { Mailbox } from './mailbox.js';
import { PriorityMailbox } from './priority-mailbox.js';
import { RingMailbox } from './ring-mailbox.js';

/**
 * Policy for messages to a full mailbox. Dropped messages become dead letters.
 *
 * @example
 * ```ts
 * import { type ActorRef, ActorSystem, Behavior, bounded, Overflow, Props } from '@roost/actors';
 *
 * const system = new ActorSystem();
 * const writer: ActorRef<string> = system.spawn(
 *   Props.of(
 *     Behavior.receive((ctx, line: string) => ctx.log.log(line)),
 *     { mailbox: bounded(100, Overflow.Backpressure) },
 *   ),
 * );
 *
 * await writer.offer('resolves when the mailbox has room');
 * ```
 *
 * @publicApi
 */
export const Overflow = {
  /** Drops the new message. */
  DropNewest: 'drop-newest',
  /** Drops the oldest waiting message. */
  DropOldest: 'drop-oldest',
  /** `offer()` waits for room. Messages from `tell()` and `ask()` are dropped. */
  Backpressure: 'backpressure',
  /** `tell()` throws `MailboxFullError`; `ask()` and `offer()` reject with it. */
  Throw: 'throw',
} as const;
export type Overflow = (typeof Overflow)[keyof typeof Overflow];

/** Mailbox settings, created by `unbounded`, `bounded` or `priority`. @publicApi */
export interface MailboxOptions {
  readonly capacity: number;
  readonly overflow: Overflow;
  create(): Mailbox;
}

/** More messages than fit into memory, and still a small integer for V8. */
const NO_LIMIT = 2 ** 30 - 1;

const UNBOUNDED: MailboxOptions = {
  capacity: NO_LIMIT,
  overflow: Overflow.DropNewest,
  create: () => new RingMailbox(),
};

/** A FIFO mailbox without a limit. This is the default. @publicApi */
export const unbounded = (): MailboxOptions => UNBOUNDED;

/**
 * A FIFO mailbox for at most `capacity` messages.
 *
 * @param overflow what happens to further messages. @default Overflow.DropNewest
 *
 * @example
 * ```ts
 * import { Actor, bounded, Overflow } from '@roost/actors';
 *
 * @Actor({ mailbox: bounded(1_000, Overflow.DropOldest) })
 * export class MetricsActor {}
 * ```
 *
 * @publicApi
 */
export function bounded(capacity: number, overflow: Overflow = Overflow.DropNewest): MailboxOptions {
  check.number(capacity, 'bounded(capacity)', { least: 1, most: NO_LIMIT - 1, whole: true });
  if (!Object.values(Overflow).includes(overflow)) {
    throw new InvalidActorOptionError('bounded(overflow)', overflow, `one of ${Object.values(Overflow).join(', ')}`);
  }
  return { capacity, overflow, create: () => new RingMailbox() };
}

/**
 * A mailbox that delivers the message with the smallest number first, and equal numbers in order of arrival. Signals
 * come before all messages. `PoisonPill` comes after all waiting messages. Messages for which `priorityOf` throws or
 * returns NaN come last. The mailbox has no limit.
 *
 * @example
 * ```ts
 * import { Actor, priority } from '@roost/actors';
 *
 * class Job {
 *   constructor(readonly urgent: boolean) {}
 * }
 *
 * @Actor({ mailbox: priority<Job>((job) => (job.urgent ? 0 : 1)) })
 * export class WorkerActor {}
 * ```
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
      // -Infinity is reserved for signals.
      return Number.isNaN(number) ? Infinity : Math.max(number, -Number.MAX_VALUE);
    } catch {
      return Infinity;
    }
  };
  return { capacity: NO_LIMIT, overflow: Overflow.DropNewest, create: () => new PriorityMailbox(numberFor) };
}
