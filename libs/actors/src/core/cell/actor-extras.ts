import type { Deferred } from '@roost/kernel';
import type { ActorCell } from './actor-cell.js';
import type { WatchNotice } from './death-watch.js';
import type { WaitingOffers } from '../mailbox/waiting-offers.js';
import type { RestartRecord } from '../supervision/restart-record.js';
import type { Throttle } from './throttle.js';
import type { ActorTimers } from '../timing/actor-timers.js';
import type { Alarm } from '../timing/alarm-clock.js';
import type { ReceiveTimeoutAlarm } from '../timing/receive-timeout.js';

/** A restart in progress. */
export interface PendingRestart {
  readonly error: unknown;
  readonly delayMs: number;
  /** Current step. */
  stage: 'pre-restart' | 'children' | 'delay' | 'setup';
  /** Rings at the end of the delay. */
  readonly alarm: Alarm;
  /** Continues the restart. Called when the last child has stopped. */
  readonly onChildrenStopped: () => void;
}

/** State that most actors never need. Created on first use, which keeps idle actors small. */
export class ActorExtras {
  /** Actors to notify when this one stops. */
  watchers: Set<ActorCell> | undefined = undefined;
  watching: Map<ActorCell, WatchNotice> | undefined = undefined;
  timers: ActorTimers<unknown> | undefined = undefined;
  receiveTimeout: ReceiveTimeoutAlarm | undefined = undefined;
  /** Pairs of message and reply address, as in the mailbox. */
  stash: unknown[] | undefined = undefined;
  offers: WaitingOffers | undefined = undefined;
  throttle: { readonly gate: Throttle; readonly alarm: Alarm } | undefined = undefined;
  restarts: RestartRecord | undefined = undefined;
  /** The restart in progress, if any. */
  restart: PendingRestart | undefined = undefined;
  suspensions = 0;
  end: Deferred<void> | undefined = undefined;
  abort: AbortController | undefined = undefined;
}
