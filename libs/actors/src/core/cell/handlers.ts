import { isThenable } from '@roost/kernel';
import { UNHANDLED } from '../behavior.js';
import type { Signal } from '../signals.js';
import type { ActorCell } from './actor-cell.js';
import { PendingAsk } from './ask.js';
import { awaitPromise } from './turn.js';

/**
 * Calls user code and continues with its result or error: at once, or when the returned promise has settled.
 * message-loop.ts does the same inline for messages, because a closure per message would slow it down.
 */
export function callHandler(
  cell: ActorCell,
  call: () => unknown,
  onValue: (value: unknown) => void,
  onError: (error: unknown) => void,
): void {
  let value: unknown;
  try {
    value = call();
  } catch (error) {
    onError(error);
    return;
  }
  if (isThenable(value)) awaitPromise(cell, value, onValue, onError);
  else onValue(value);
}

/** Calls the signal handler. Without one, the signal is unhandled. */
export function callSignalHandler(
  cell: ActorCell,
  signal: Signal,
  onValue: (value: unknown) => void,
  onError: (error: unknown) => void,
): void {
  const { signalHandler } = cell.behavior;
  if (signalHandler === undefined) {
    onValue(UNHANDLED);
    return;
  }
  cell.message = signal;
  cell.replyTo = undefined;
  callHandler(cell, () => signalHandler(cell.context, signal), onValue, onError);
}

/** Fails the actor, and the `ask` if the current message has one, because the handler threw. */
export function failMessage(cell: ActorCell, error: unknown): void {
  if (cell.replyTo instanceof PendingAsk) cell.replyTo.fail(error);
  cell.fail(error);
}
