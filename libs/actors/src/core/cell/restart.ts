import { stackOf } from '@roost/kernel';
import { type Behavior, NO_BEHAVIOR } from '../behavior.js';
import { ActorInitializationException } from '../errors/actor-initialization.error.js';
import { restartChannel } from '../observe/diagnostics.js';
import { ActorRestarted } from '../observe/event-stream.js';
import { PostRestart, PreRestart } from '../signals.js';
import { CallbackAlarm } from '../timing/alarm-clock.js';
import type { ActorCell } from './actor-cell.js';
import type { PendingRestart } from './actor-extras.js';
import { State } from './actor-state.js';
import { announce, resolveBehavior, setBehavior } from './become.js';
import { unwatch } from './death-watch.js';
import { callSignalHandler } from './handlers.js';
import { unstashAll } from './stash.js';
import { beginStop, cancelTimers, requestStop } from './stop.js';
import { resume, suspend, Suspension } from './suspension.js';

/** Replaces the instance: `PreRestart`, stop the children, delay, new behavior, `PostRestart`. The mailbox is kept. */
export function restart(cell: ActorCell, error: unknown, delayMs: number): void {
  const extras = cell.needExtras();
  const earlier = extras.restart;
  if (earlier) cell.system.alarms.cancel(earlier.alarm);
  const pending: PendingRestart = {
    error,
    delayMs,
    stage: 'pre-restart',
    // Queued, so that an actor that fails at every restart does not starve other actors.
    alarm: new CallbackAlarm(() => cell.addWork(() => createInstance(cell, pending))),
    onChildrenStopped: () => cell.addWork(() => awaitChildren(cell)),
  };
  extras.restart = pending;
  suspend(cell, Suspension.Restart);
  const stopChildren = (): void => {
    if (cell.state >= State.Stopping) return;
    pending.stage = 'children';
    releaseInstance(cell);
    awaitChildren(cell);
  };
  // An instance whose setup failed gets no signal.
  if (earlier) stopChildren();
  else {
    callSignalHandler(cell, new PreRestart(error), stopChildren, (thrown) => {
      cell.context.log.error(`PreRestart threw: ${stackOf(thrown)}`);
      stopChildren();
    });
  }
}

/**
 * Stops the timers and children of the old instance. The new instance does not know them, so it gets no `Terminated`.
 */
function releaseInstance(cell: ActorCell): void {
  cancelTimers(cell);
  for (const child of cell.children?.values() ?? []) {
    unwatch(cell, child);
    requestStop(child, 'kill');
  }
}

function awaitChildren(cell: ActorCell): void {
  const pending = cell.extras?.restart;
  if (pending?.stage !== 'children' || (cell.children?.size ?? 0) > 0) return;
  pending.stage = 'delay';
  if (pending.delayMs > 0) cell.system.alarms.set(pending.alarm, pending.delayMs);
  else pending.alarm.ring();
}

function createInstance(cell: ActorCell, pending: PendingRestart): void {
  if (cell.extras?.restart !== pending || cell.state >= State.Stopping) return;
  pending.stage = 'setup';
  cell.message = undefined;
  cell.replyTo = undefined;
  resolveBehavior(
    cell,
    cell.props.behavior,
    (ready) => {
      if (ready === undefined) beginStop(cell, 'drain');
      else continueWith(cell, ready, pending);
    },
    (error) => cell.fail(new ActorInitializationException(cell.path, error)),
  );
}

/** Starts the new instance. */
function continueWith(cell: ActorCell, behavior: Behavior<unknown>, { error }: PendingRestart): void {
  const { system } = cell;
  const extras = cell.needExtras();
  extras.restart = undefined;
  extras.restarts?.finish();
  cell.behavior = NO_BEHAVIOR;
  setBehavior(cell, behavior);
  unstashAll(cell);
  resume(cell, Suspension.Restart);
  const restarts = extras.restarts?.count ?? 0;
  system.events.publish(new ActorRestarted(cell, restarts));
  if (restartChannel.hasSubscribers) restartChannel.publish({ ref: cell, restarts });
  announce(cell, new PostRestart(error));
}
