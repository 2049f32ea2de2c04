import { EventEmitter } from 'node:events';
import EventEmitter2 from 'eventemitter2';
import type { Contender, Message, Receiver } from '../contender.js';

/** Covers both emitters, which have the same API. */
interface Emitter {
  on(event: 'message', listener: (message: Message) => void): unknown;
  emit(event: 'message', message: Message): boolean;
}

class EmitterReceiver implements Receiver {
  readonly #emitter: Emitter;

  constructor(emitter: Emitter, handle: (message: Message) => void) {
    this.#emitter = emitter;
    this.#emitter.on('message', handle);
  }

  tell(message: Message): void {
    this.#emitter.emit('message', message);
  }
}

const contenderOf = (create: () => Emitter): Contender => ({
  spawn: (count, handle) => Array.from({ length: count }, () => new EmitterReceiver(create(), handle)),
  spawnAsync: (handle) => new EmitterReceiver(create(), (message) => void handle(message)),
});

export const nodeEmitter = contenderOf(() => new EventEmitter());
export const eventEmitter2 = contenderOf(() => new EventEmitter2.EventEmitter2());
