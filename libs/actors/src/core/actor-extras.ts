import type { ActorCell } from './actor-cell.js';
import type { WaitingOffers } from './mailbox/waiting-offers.js';
import type { RestartHistory } from './supervision/restart-history.js';
import type { Throttle } from './throttle.js';
import type { ActorTimers } from './timing/actor-timers.js';
import type { Alarm } from './timing/alarm-clock.js';
import type { ReceiveTimeoutAlarm } from './timing/receive-timeout.js';

/** Why an actor is suspended. They add up: it goes on when none is left. */
export const Suspension = { User: 1, Restart: 2, Escalated: 4 } as const;
export type Suspension = (typeof Suspension)[keyof typeof Suspension];

/** What most actors never have. It is made when first needed, so that an idle actor is a small one. */
export class ActorExtras {
  /** Who is told of the end, and with what message of its own, if any. */
  watchers: Map<ActorCell, { message: unknown } | undefined> | undefined = undefined;
  watching: Set<ActorCell> | undefined = undefined;
  timers: ActorTimers<unknown> | undefined = undefined;
  receiveTimeout: ReceiveTimeoutAlarm | undefined = undefined;
  /** Pairs of message and reply address, as in the mailbox. */
  stash: unknown[] | undefined = undefined;
  offers: WaitingOffers | undefined = undefined;
  throttle: { readonly gate: Throttle; readonly alarm: Alarm } | undefined = undefined;
  restarts: RestartHistory | undefined = undefined;
  /** What a restart that is under way waits with. */
  restart: { readonly error: unknown; readonly delayMs: number; ready: boolean } | undefined = undefined;
  suspensions = 0;
  end: { readonly promise: Promise<void>; resolve(): void } | undefined = undefined;
  abort: AbortController | undefined = undefined;
}
