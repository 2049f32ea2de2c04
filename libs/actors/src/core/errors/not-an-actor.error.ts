import { describeValue } from '@roost/kernel';
import { ActorError } from './actor.error.js';

/** A value is not the address of an actor. The reply address of an `ask`, for instance, is not one. @publicApi */
export class NotAnActorError extends ActorError {
  constructor(value: unknown) {
    super(
      'ACTORS_NOT_AN_ACTOR',
      `${describeValue(value)} is not the address of an actor. Pass an ActorRef from spawn(), ctx.self or ctx.messageAdapter().`,
    );
  }
}
