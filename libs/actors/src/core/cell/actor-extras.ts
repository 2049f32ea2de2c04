import type { ActorCell } from './actor-cell.js';
import type { Word } from './death-watch.js';
import type { WaitingOffers } from '../mailbox/waiting-offers.js';
import type { RestartHistory } from '../supervision/restart-history.js';
import type { Throttle } from './throttle.js';
import type { ActorTimers } from '../timing/actor-timers.js';
import type { Alarm } from '../timing/alarm-clock.js';
import type { ReceiveTimeoutAlarm } from '../timing/receive-timeout.js';

/** A restart that is under way. */
export interface PendingRestart {
  readonly error: unknown;
  readonly delayMs: number;
  /** What it waits for. */
  stage: 'pre-restart' | 'children' | 'delay' | 'setup';
  /** The end of the delay. */
  readonly alarm: Alarm;
}

/** What most actors never have. It is made when first needed, so that an idle actor is a small one. */
export class ActorExtras {
  /** Who is told of the end. */
  watchers: Set<ActorCell> | undefined = undefined;
  watching: Map<ActorCell, Word> | undefined = undefined;
  timers: ActorTimers<unknown> | undefined = undefined;
  receiveTimeout: ReceiveTimeoutAlarm | undefined = undefined;
  /** Pairs of message and reply address, as in the mailbox. */
  stash: unknown[] | undefined = undefined;
  offers: WaitingOffers | undefined = undefined;
  throttle: { readonly gate: Throttle; readonly alarm: Alarm } | undefined = undefined;
  restarts: RestartHistory | undefined = undefined;
  /** What a restart that is under way waits with. */
  restart: PendingRestart | undefined = undefined;
  suspensions = 0;
  end: { readonly promise: Promise<void>; resolve(): void } | undefined = undefined;
  abort: AbortController | undefined = undefined;
}
