/**
 * Channels of `node:diagnostics_channel` for tracing tools. They cost nothing without subscribers. `ref` is the
 * `ActorRef` concerned.
 *
 * - `roost:actors:spawn` `{ ref }`
 * - `roost:actors:run` `{ ref, messages }`: an actor has handled this many messages in one turn
 * - `roost:actors:failure` `{ ref, error, directive }`
 * - `roost:actors:restart` `{ ref, restarts }`
 * - `roost:actors:stop` `{ ref }`
 * - `roost:actors:dead-letter` a `DeadLetter`
 */
import { channel } from 'node:diagnostics_channel';

export const spawnChannel = channel('roost:actors:spawn');
export const runChannel = channel('roost:actors:run');
export const failureChannel = channel('roost:actors:failure');
export const restartChannel = channel('roost:actors:restart');
export const stopChannel = channel('roost:actors:stop');
export const deadLetterChannel = channel('roost:actors:dead-letter');
