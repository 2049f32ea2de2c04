import { Inject } from '@nestjs/common';
import { getActorSystemToken } from '../actors.tokens.js';

/**
 * Injects an `ActorSystem`: the one of this name, or the default one. The default one can also be had by its class.
 *
 * @publicApi
 */
export const InjectActorSystem = (name?: string): PropertyDecorator & ParameterDecorator =>
  Inject(getActorSystemToken(name));
