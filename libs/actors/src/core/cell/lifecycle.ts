import { type ActorCell, NO_BEHAVIOR } from './actor-cell.js';
import type { PendingRestart } from './actor-extras.js';
import { State } from './actor-state.js';
import { Behavior, isBehavior, UNHANDLED } from '../behavior.js';
import { endWatches, unwatch } from './death-watch.js';
import { requestStop } from './deliver-system-message.js';
import { restartChannel, stopChannel } from '../observe/diagnostics.js';
import { textOf, typeOf } from '../error-text.js';
import { ActorInitializationException } from '../errors/actor-initialization.error.js';
import { InvalidBehaviorError } from '../errors/invalid-behavior.error.js';
import { ActorRestarted, ActorStopped } from '../observe/event-stream.js';
import { closeMailbox } from './close-mailbox.js';
import { become, hold, setBehavior } from './message-loop.js';
import { PostRestart, PostStop, PreRestart, PreStart, type Signal } from '../signals.js';
import { unstashAll } from './stash.js';
import { handleFailure, initializationFailed } from '../supervision/handle-failure.js';
import { resume, suspend, Suspension } from './suspension.js';
import { isThenable } from '../thenable.js';
import { CallbackAlarm } from '../timing/alarm-clock.js';

/** New → Starting → Running. A plain `Behavior.receive` is running at once. */
export function startActor(cell: ActorCell): void {
  cell.transition(State.Starting);
  const behavior = cell.props.behavior as Behavior<unknown>;
  if (behavior.kind === 'receive' && behavior.signalHandler === undefined) begin(cell, behavior);
  else cell.addWork(() => initialize(cell));
}

function initialize(cell: ActorCell): void {
  resolveBehavior(
    cell,
    cell.props.behavior,
    (ready) => {
      if (ready === undefined) {
        beginStop(cell, 'drain');
        return;
      }
      begin(cell, ready);
      announce(cell, new PreStart());
    },
    (error) => initializationFailed(cell, new ActorInitializationException(cell.path, error)),
  );
}

function begin(cell: ActorCell, behavior: Behavior<unknown>): void {
  setBehavior(cell, behavior);
  cell.transition(State.Running);
  if (cell.extras !== null && cell.extras.suspensions !== 0) cell.transition(State.Suspended);
}

/** A signal to an instance that has just begun. */
function announce(cell: ActorCell, signal: Signal): void {
  cell.message = signal;
  invokeSignal(
    cell,
    signal,
    (result) => {
      if (isBehavior(result)) become(cell, result);
    },
    (error) => handleFailure(cell, error),
  );
}

/** Runs setups until there is a behavior to receive messages with; `undefined` when a setup says that the actor has ended. */
export function resolveBehavior(
  cell: ActorCell,
  behavior: Behavior<never>,
  onReady: (ready: Behavior<unknown> | undefined) => void,
  onError: (error: unknown) => void,
): void {
  let current = behavior;
  for (;;) {
    if (!isBehavior(current) || current.kind === 'same' || current.kind === 'unhandled') {
      onError(new InvalidBehaviorError(`What a setup of ${cell.path} returns`, 'a behavior', current));
      return;
    }
    if (current.kind !== 'setup') {
      onReady(current.kind === 'stopped' ? undefined : (current as Behavior<unknown>));
      return;
    }
    const origin = current;
    const inherit = (next: unknown) => (isBehavior(next) ? Behavior.inherit(next, origin) : (next as Behavior<never>));
    let next: unknown;
    try {
      next = origin.initialize!(cell.context);
    } catch (error) {
      onError(error);
      return;
    }
    if (isThenable(next)) {
      hold(cell, next, (value) => resolveBehavior(cell, inherit(value), onReady, onError), onError);
      return;
    }
    current = inherit(next);
  }
}

/** Calls the signal handler, if there is one, and waits until it has settled. */
export function invokeSignal(
  cell: ActorCell,
  signal: Signal,
  onResult: (result: unknown) => void,
  onError: (error: unknown) => void,
): void {
  const { signalHandler } = cell.behavior;
  if (signalHandler === undefined) {
    onResult(UNHANDLED);
    return;
  }
  cell.message = signal;
  cell.replyTo = undefined;
  let result: unknown;
  try {
    result = signalHandler(cell.context, signal);
  } catch (error) {
    onError(error);
    return;
  }
  if (isThenable(result)) hold(cell, result, onResult, onError);
  else onResult(result);
}

/** Replaces the instance: PreRestart, children stopped, delay, a fresh behavior, PostRestart. The mailbox is kept. */
export function restart(cell: ActorCell, error: unknown, delayMs: number): void {
  const extras = cell.needExtras();
  const earlier = extras.restart;
  if (earlier) cell.system.alarms.cancel(earlier.alarm);
  const pending: PendingRestart = {
    error,
    delayMs,
    stage: 'pre-restart',
    alarm: new CallbackAlarm(() => reviveSoon()),
  };
  // Not right away: an actor that fails at every restart must let others have their turn.
  const reviveSoon = (): void => cell.addWork(() => revive(cell, pending));
  extras.restart = pending;
  suspend(cell, Suspension.Restart);
  const goOn = (): void => {
    if (cell.state >= State.Stopping) return;
    pending.stage = 'children';
    giveUpInstance(cell);
    awaitChildren(cell);
  };
  // Of an instance that did not come about there is nothing to be told.
  if (earlier) goOn();
  else {
    invokeSignal(cell, new PreRestart(error), goOn, (thrown) => {
      cell.context.log.error(`PreRestart threw: ${textOf(thrown)}`);
      goOn();
    });
  }
}

/** Timers and children end with their instance. The next one knows nothing of them, so it is not told of their end. */
function giveUpInstance(cell: ActorCell): void {
  releaseTimers(cell);
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

function revive(cell: ActorCell, pending: PendingRestart): void {
  if (cell.extras?.restart !== pending || cell.state >= State.Stopping) return;
  pending.stage = 'setup';
  cell.message = undefined;
  cell.replyTo = undefined;
  resolveBehavior(
    cell,
    cell.props.behavior,
    (ready) => {
      if (ready === undefined) {
        beginStop(cell, 'drain');
        return;
      }
      const { system } = cell;
      const extras = cell.needExtras();
      extras.restart = undefined;
      extras.restarts?.restarted(system.options.clock.monotonic());
      cell.behavior = NO_BEHAVIOR;
      setBehavior(cell, ready);
      unstashAll(cell);
      resume(cell, Suspension.Restart);
      const restarts = extras.restarts?.count ?? 0;
      system.events.publish(new ActorRestarted(cell, restarts));
      if (restartChannel.hasSubscribers) restartChannel.publish({ ref: cell, restarts });
      announce(cell, new PostRestart(pending.error));
    },
    (error) => handleFailure(cell, new ActorInitializationException(cell.path, error)),
  );
}

/**
 * Ends an actor that is not handling a message: what is waiting becomes dead letters, children end first, then it gets
 * its PostStop. Children drain their mailboxes or not, as the actor itself.
 */
export function beginStop(cell: ActorCell, mode: 'drain' | 'kill'): void {
  if (cell.state >= State.Stopping) return;
  leave(cell);
  for (const child of cell.children?.values() ?? []) requestStop(child, mode);
  if ((cell.children?.size ?? 0) === 0) finishStop(cell);
}

/** Takes no more messages. */
function leave(cell: ActorCell): void {
  cell.transition(State.Stopping);
  releaseTimers(cell);
  // It outlasts restarts, as the limit does.
  if (cell.extras?.throttle) cell.system.alarms.cancel(cell.extras.throttle.alarm);
  cell.extras?.abort?.abort();
  closeMailbox(cell);
}

function releaseTimers({ extras, system }: ActorCell): void {
  if (extras === null) return;
  if (extras.restart) system.alarms.cancel(extras.restart.alarm);
  extras.timers?.cancelAll();
  extras.receiveTimeout?.cancel();
  extras.receiveTimeout = undefined;
}

function finishStop(cell: ActorCell): void {
  const handler = cell.behavior.signalHandler;
  if (handler === undefined) {
    end(cell);
    return;
  }
  const ended = (): void => end(cell);
  invokeSignal(cell, new PostStop(), ended, (error) => {
    cell.context.log.error(`PostStop threw: ${textOf(error)}`);
    end(cell);
  });
  // From here on nothing can deliver it again.
  if (cell.state !== State.Stopped) cell.behavior = NO_BEHAVIOR;
}

function end(cell: ActorCell): void {
  cell.transition(State.Stopped);
  const { parent, system, extras } = cell;
  // Once more: PostStop may have set some.
  releaseTimers(cell);
  endWatches(cell);
  cell.release();
  parent?.children?.delete(cell.key);
  if (parent !== null && parent.children?.size === 0) childrenHaveEnded(parent);
  system.events.publish(new ActorStopped(cell));
  if (stopChannel.hasSubscribers) stopChannel.publish({ ref: cell });
  extras?.end?.resolve();
}

function childrenHaveEnded(cell: ActorCell): void {
  if (cell.state === State.Stopping) cell.addWork(() => finishStop(cell));
  else if (cell.extras?.restart) cell.addWork(() => awaitChildren(cell));
}

/** An actor whose handler had not settled at the deadline of a shutdown. @publicApi */
export interface StuckActor {
  readonly path: string;
  /** Class of the message it was handling, or what step of its life it was in. */
  readonly handling: string;
}

/**
 * Ends the actor and all below it now, bottom-up: mailboxes become dead letters, PostStop is delivered to who has not
 * had it, and is not waited for.
 *
 * @returns all that were ended, and those of them that were stuck in a handler
 */
export function forceStop(root: ActorCell): { forced: string[]; stuck: StuckActor[] } {
  const cells = [root];
  // Each from the one above it: made one by one, those of a deep tree would take quadratic time and space.
  const paths = [root.path];
  for (let i = 0; i < cells.length; i++) {
    for (const child of cells[i]!.children?.values() ?? []) {
      cells.push(child);
      paths.push(`${paths[i]}/${child.name}`);
    }
  }
  const forced: string[] = [];
  const stuck: StuckActor[] = [];
  for (let i = cells.length - 1; i >= 0; i--) {
    const cell = cells[i]!;
    const path = paths[i]!;
    if (cell.state === State.Stopped) continue;
    if (cell !== root) forced.push(path);
    if (cell.isAwaiting) stuck.push({ path, handling: whatHolds(cell) });
    if (cell.state < State.Stopping) leave(cell);
    deliverPostStopNow(cell);
    if ((cell.state as State) !== State.Stopped) end(cell);
  }
  return { forced, stuck };
}

/** What an actor that is awaiting something is busy with. */
export const whatHolds = ({ state, message, extras }: ActorCell): string => {
  if (state === State.Stopping) return 'PostStop';
  if (state === State.Starting || extras?.restart?.stage === 'setup') return 'setup';
  if (extras?.restart) return 'PreRestart';
  return typeOf(message);
};

function deliverPostStopNow(cell: ActorCell): void {
  const { signalHandler } = cell.behavior;
  cell.behavior = NO_BEHAVIOR;
  const log = (error: unknown): void => cell.context.log.error(`PostStop threw: ${textOf(error)}`);
  try {
    const result: unknown = signalHandler?.(cell.context, new PostStop());
    if (isThenable(result)) void Promise.resolve(result).catch(log);
  } catch (error) {
    log(error);
  }
}
