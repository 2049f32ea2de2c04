import { Inject } from '@nestjs/common';
import { getActorSystemToken } from '../actors.tokens.js';

/**
 * Injects the `ActorSystem` with this name, or the default system. The default system can also be injected by its
 * class.
 *
 * @example
 * ```ts
 * import { Injectable } from '@nestjs/common';
 * import { ActorSystem, InjectActorSystem } from '@roost/actors';
 *
 * @Injectable()
 * export class Monitor {
 *   constructor(@InjectActorSystem('billing') private readonly system: ActorSystem) {}
 *
 *   get deadLetters(): number {
 *     return this.system.deadLetterCount;
 *   }
 * }
 * ```
 *
 * @publicApi
 */
export const InjectActorSystem = (name?: string): PropertyDecorator & ParameterDecorator =>
  Inject(getActorSystemToken(name));
