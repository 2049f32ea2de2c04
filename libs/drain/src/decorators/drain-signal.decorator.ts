import { createParamDecorator, type ExecutionContext, Injectable, type PipeTransform } from '@nestjs/common';
import { Drain, type ResponseLike } from '../core/index.js';

/** Turns the context of a call into its signal. A pipe, because those are given what they ask for by Nest. */
@Injectable()
export class DrainSignalPipe implements PipeTransform<ExecutionContext, AbortSignal> {
  constructor(private readonly drain: Drain) {}

  transform(context: ExecutionContext): AbortSignal {
    if (context.getType() !== 'http') return this.drain.signal;
    const response = context.switchToHttp().getResponse<ResponseLike & { raw?: ResponseLike }>();
    return this.drain.signalFor(response.raw ?? response);
  }
}

const Signal = createParamDecorator((_: unknown, context: ExecutionContext) => context);

/**
 * A parameter of a handler: an `AbortSignal` that aborts when the drain begins, so that an endless response (SSE, a
 * long poll, a stream) can end itself. In HTTP handlers it also aborts when the client is gone. Handlers of messages
 * and WebSocket events share one signal, so they must remove the listeners they add.
 *
 * @publicApi
 */
export const DrainSignal = (): ParameterDecorator => Signal(DrainSignalPipe);
