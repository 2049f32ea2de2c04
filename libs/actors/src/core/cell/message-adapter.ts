import { inspect } from 'node:util';
import { stackOf } from '@roost/kernel';
import type { ActorCell } from './actor-cell.js';
import type { ActorRef, AskOptions } from '../actor-ref.js';
import { ask } from './ask.js';
import { CELL, type LocalRef } from './cell-of.js';
import { SystemMessage } from '../system-messages.js';

/** An address that translates messages of another type and passes them to its owner. */
export class AdapterRef<in T> implements ActorRef<T>, LocalRef {
  constructor(
    readonly owner: ActorCell,
    private readonly adapt: (message: T) => unknown,
  ) {}

  get [CELL](): ActorCell {
    return this.owner;
  }

  get name(): string {
    return this.owner.name;
  }

  get path(): string {
    return this.owner.path;
  }

  [inspect.custom](): string {
    return `ActorRef(${this.path}, adapted)`;
  }

  tell(message: T | SystemMessage, sender?: ActorRef<never>): void {
    if (message instanceof SystemMessage) {
      this.owner.tell(message);
      return;
    }
    let translated: unknown;
    try {
      translated = this.adapt(message);
    } catch (error) {
      // The error belongs to the adapter, not to the sender.
      this.owner.system.options.logger.error(`a message adapter threw: ${stackOf(error)}`, this.path);
      this.owner.deadLetter(message, sender, 'adapter-failed');
      return;
    }
    this.owner.deliver(translated, sender);
  }

  ask<R>(create: (replyTo: ActorRef<R>) => T, options?: AskOptions): Promise<R> {
    return ask<R>(this.owner, (replyTo) => this.adapt(create(replyTo)), options);
  }

  async offer(message: T, options?: { signal?: AbortSignal }): Promise<void> {
    await this.owner.offer(this.adapt(message), options);
  }

  stop(): void {
    this.owner.stop();
  }

  whenTerminated(): Promise<void> {
    return this.owner.whenTerminated();
  }
}
