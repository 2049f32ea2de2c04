import { describeValue } from '@roost/kernel';
import { ActorError } from './actor.error.js';

/** Something that is not the address of a live or ended actor, such as the reply address of an `ask`. @publicApi */
export class NotAnActorError extends ActorError {
  constructor(value: unknown) {
    super(
      'ACTORS_NOT_AN_ACTOR',
      `${describeValue(value)} is not the address of an actor. Pass an ActorRef from spawn(), ctx.self or ctx.messageAdapter().`,
    );
  }
}
