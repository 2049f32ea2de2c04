import { stackOf } from '@roost/kernel';
import { NO_BEHAVIOR } from '../behavior.js';
import { stopChannel } from '../observe/diagnostics.js';
import { ActorStopped } from '../observe/event-stream.js';
import { PostStop } from '../signals.js';
import { PoisonPill } from '../system-messages.js';
import type { ActorCell } from './actor-cell.js';
import { State } from './actor-state.js';
import { closeMailbox } from './close-mailbox.js';
import { endWatches } from './death-watch.js';
import { callSignalHandler } from './handlers.js';
import { isSuspended, Suspension } from './suspension.js';

/** `drain` handles the messages in the mailbox first. `kill` turns them into dead letters. */
export type StopMode = 'drain' | 'kill';

/** Stops the actor after the messages in its mailbox, or after the current one if it is suspended or killed. */
export function requestStop(cell: ActorCell, mode: StopMode): void {
  if (mode === 'kill' || isSuspended(cell, Suspension.User | Suspension.Escalated)) kill(cell);
  else pushPoisonPill(cell);
}

/** Stops the actor after the messages sent before. Offers that wait for room count as sent. */
export function pushPoisonPill(cell: ActorCell): void {
  const offers = cell.extras?.offers;
  if (offers && offers.size > 0) offers.waitForEnd();
  else cell.pushInternal(PoisonPill, undefined);
}

/** Stops the actor after the current message. */
export function kill(cell: ActorCell): void {
  if (cell.state >= State.Stopping) return;
  cell.extras?.abort?.abort();
  cell.addWork(() => beginStop(cell, 'kill'));
}

/**
 * Stops an actor that is not handling a message. Waiting messages become dead letters. Its children stop first, in the
 * same mode, and then it gets its `PostStop`.
 */
export function beginStop(cell: ActorCell, mode: StopMode): void {
  if (cell.state >= State.Stopping) return;
  closeActor(cell);
  for (const child of cell.children?.values() ?? []) requestStop(child, mode);
  if ((cell.children?.size ?? 0) === 0) deliverPostStop(cell);
}

/** Stops accepting messages. */
export function closeActor(cell: ActorCell): void {
  cell.transition(State.Stopping);
  cancelTimers(cell);
  // The throttle survives restarts, so `cancelTimers` does not cancel it.
  if (cell.extras?.throttle) cell.system.alarms.cancel(cell.extras.throttle.alarm);
  cell.extras?.abort?.abort();
  closeMailbox(cell);
}

/** Cancels everything that belongs to the instance: timers, the receive timeout and the restart delay. */
export function cancelTimers({ extras, system }: ActorCell): void {
  if (extras === null) return;
  if (extras.restart) system.alarms.cancel(extras.restart.alarm);
  extras.timers?.cancelAll();
  extras.receiveTimeout?.cancel();
  extras.receiveTimeout = undefined;
}

function deliverPostStop(cell: ActorCell): void {
  if (cell.behavior.signalHandler === undefined) {
    finishStop(cell);
    return;
  }
  const finish = (): void => finishStop(cell);
  callSignalHandler(cell, new PostStop(), finish, (error) => {
    cell.context.log.error(`PostStop threw: ${stackOf(error)}`);
    finish();
  });
  // Prevents a second delivery.
  if (cell.state !== State.Stopped) cell.behavior = NO_BEHAVIOR;
}

/** Completes the stop, and notifies watchers, the parent and the event stream. */
export function finishStop(cell: ActorCell): void {
  cell.transition(State.Stopped);
  const { parent, system, extras } = cell;
  // `PostStop` may have set new timers.
  cancelTimers(cell);
  endWatches(cell);
  cell.release();
  parent?.children?.delete(cell.key);
  if (parent !== null && parent.children?.size === 0) onChildrenStopped(parent);
  system.events.publish(new ActorStopped(cell));
  if (stopChannel.hasSubscribers) stopChannel.publish({ ref: cell });
  extras?.end?.resolve();
}

function onChildrenStopped(cell: ActorCell): void {
  if (cell.state === State.Stopping) cell.addWork(() => deliverPostStop(cell));
  else cell.extras?.restart?.onChildrenStopped();
}
