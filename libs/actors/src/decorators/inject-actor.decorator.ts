import { Inject } from '@nestjs/common';
import { getActorToken } from '../actors.tokens.js';
import type { ActorClass } from '../core/index.js';

/**
 * Injects the `ActorRef` of the top-level actor of this class, which is spawned under its name when the application
 * boots, once for all who inject it. Messages may be sent at once; the actor begins when `onModuleInit` of every provider
 * has ended. The module has to import a `forFeature` that lists the class.
 *
 * @param system as in `forFeature`: left out for the default system
 * @throws NotAnActorClassError unless `type` is a class
 * @publicApi
 */
export const InjectActor = (type: ActorClass, system?: string): PropertyDecorator & ParameterDecorator =>
  Inject(getActorToken(type, system));
