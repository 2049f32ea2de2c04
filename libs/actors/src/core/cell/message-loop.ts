import { isThenable } from '@roost/kernel';
import { isBehavior, SAME } from '../behavior.js';
import { DeathPactError } from '../errors/death-pact.error.js';
import { InvalidBehaviorError } from '../errors/invalid-behavior.error.js';
import { SIGNAL } from '../mailbox/internal-entry.js';
import { runChannel } from '../observe/diagnostics.js';
import { type Signal, Terminated } from '../signals.js';
import { PoisonPill } from '../system-messages.js';
import { ActorTimer } from '../timing/actor-timers.js';
import type { ActorCell } from './actor-cell.js';
import { Activity, State } from './actor-state.js';
import { PendingAsk } from './ask.js';
import { become } from './become.js';
import { takeNotice } from './death-watch.js';
import { callHandler, callSignalHandler, failMessage } from './handlers.js';
import { isStashed } from './stash.js';
import { beginStop } from './stop.js';
import { mayPass } from './throttle.js';
import { admitWaitingOffers, continueTurn, endTurn } from './turn.js';

/** Callbacks for the promise of an asynchronous handler. Created once per actor. */
export interface Settled {
  readonly value: (value: unknown) => void;
  readonly error: (error: unknown) => void;
}

/**
 * Runs one turn of an actor: first its lifecycle steps, then messages one at a time, until none remain, the budget is
 * used up, or a handler returns a promise.
 *
 * @returns the part of the budget that was used
 */
export function runMessages(cell: ActorCell, budget: number): number {
  cell.activity = Activity.Running;
  const { throttle } = cell.props;
  let used = 0;
  let messages = 0;
  let ownMessages = 0;
  while (used < budget) {
    if (cell.work !== null) {
      used++;
      cell.message = undefined;
      cell.takeWork()();
      if (cell.isAwaiting) break;
      continue;
    }
    const { mailbox } = cell;
    if (cell.state !== State.Running || mailbox === null || mailbox.size === 0) break;
    const message = mailbox.take();
    const replyTo = mailbox.takenReplyTo;
    // The throttle does not apply to signals and `PoisonPill`.
    const isLimited = throttle !== undefined && replyTo !== SIGNAL && message !== PoisonPill;
    if (isLimited && !mayPass(cell, throttle)) {
      mailbox.pushFront(message, replyTo);
      break;
    }
    used++;
    if ((replyTo !== undefined || message === PoisonPill) && takeSpecial(cell, message, replyTo)) {
      if (replyTo instanceof ActorTimer) ownMessages++;
      if (cell.isAwaiting) break;
      continue;
    }
    messages++;
    cell.message = message;
    cell.replyTo = replyTo;
    let result: unknown;
    try {
      result = cell.behavior.onMessage(cell.context, message);
    } catch (error) {
      failMessage(cell, error);
      if (cell.isAwaiting) break;
      continue;
    }
    if (result === undefined || result === SAME) continue;
    if (result instanceof Promise) awaitHandler(cell, result);
    else applyResult(cell, result);
    if (cell.isAwaiting) break;
  }
  if (messages > 0) cell.extras?.receiveTimeout?.touch();
  if (runChannel.hasSubscribers && messages + ownMessages > 0) {
    runChannel.publish({ ref: cell, messages: messages + ownMessages });
  }
  if (cell.isAwaiting) admitWaitingOffers(cell);
  else endTurn(cell);
  return used;
}

/**
 * Handles an error that escaped the loop, such as a result that throws when inspected. It fails this actor, not the
 * system.
 */
export function failTurn(cell: ActorCell, error: unknown): number {
  if (cell.state !== State.Stopped) failMessage(cell, error);
  if (!cell.isAwaiting) endTurn(cell);
  return 1;
}

/** Applies the return value of a handler. */
function applyResult(cell: ActorCell, result: unknown): void {
  if (isThenable(result)) {
    // A foreign thenable might call back twice or synchronously, so its own `then` is not used directly.
    awaitHandler(cell, Promise.resolve(result));
  } else if (!isBehavior(result) && cell.props.valuesAreReplies) {
    if (cell.replyTo instanceof PendingAsk) cell.replyTo.tell(result);
  } else if (!isBehavior(result)) {
    const where = `The return value of a handler of ${cell.path}`;
    failMessage(cell, new InvalidBehaviorError(where, 'a behavior or nothing', result));
  } else if (result.kind === 'unhandled') {
    if (!isStashed(cell)) cell.deadLetter(cell.message, cell.replyTo, 'unhandled');
  } else {
    become(cell, result);
  }
}

/** Handles a mailbox entry that is not a user message. Returns false for user messages with a sender or an `ask`. */
function takeSpecial(cell: ActorCell, message: unknown, beside: unknown): boolean {
  if (message === PoisonPill) beginStop(cell, 'drain');
  else if (beside === SIGNAL) handleSignal(cell, message as Signal);
  else if (beside instanceof ActorTimer) handleTimer(cell, beside);
  else return false;
  return true;
}

function handleTimer(cell: ActorCell, timer: ActorTimer): void {
  if (timer.claim()) handleOwn(cell, timer.message, () => timer.handled());
}

/** Handles a message from the actor to itself. Unlike other messages, it does not postpone a `ReceiveTimeout`. */
function handleOwn(cell: ActorCell, message: unknown, handled: () => void): void {
  cell.message = message;
  cell.replyTo = undefined;
  callHandler(
    cell,
    () => cell.behavior.onMessage(cell.context, message),
    (result) => {
      handled();
      if (result !== undefined) applyResult(cell, result);
    },
    (error) => {
      handled();
      failMessage(cell, error);
    },
  );
}

function handleSignal(cell: ActorCell, signal: Signal): void {
  if (signal instanceof Terminated) {
    const notice = takeNotice(cell, signal);
    if (notice === undefined) return;
    if (notice !== 'signal') {
      handleOwn(cell, notice.message, () => undefined);
      return;
    }
  }
  cell.message = signal;
  cell.replyTo = undefined;
  const onResult = (result: unknown): void => {
    const unhandled = isBehavior(result) && result.kind === 'unhandled';
    if (unhandled && signal instanceof Terminated) {
      failMessage(cell, new DeathPactError(cell.path, signal.ref.path));
    } else if (result !== undefined && !unhandled) {
      applyResult(cell, result);
    }
  };
  callSignalHandler(cell, signal, onResult, (error) => failMessage(cell, error));
}

function awaitHandler(cell: ActorCell, promise: Promise<unknown>): void {
  cell.activity = Activity.Awaiting;
  const { value, error } = (cell.settled ??= createSettled(cell));
  promise.then(value, error);
}

function createSettled(cell: ActorCell): Settled {
  return {
    value: (value) => {
      if (cell.state === State.Stopped) return;
      cell.activity = Activity.Running;
      if (value !== undefined && value !== SAME) applyResult(cell, value);
      cell.extras?.receiveTimeout?.touch();
      continueTurn(cell);
    },
    error: (error) => {
      if (cell.state === State.Stopped) return;
      cell.activity = Activity.Running;
      failMessage(cell, error);
      cell.extras?.receiveTimeout?.touch();
      continueTurn(cell);
    },
  };
}
