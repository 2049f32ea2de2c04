import { createParamDecorator, type ExecutionContext, Injectable, type PipeTransform } from '@nestjs/common';
import { Drain, type ResponseLike } from '../core/index.js';

/** Turns the execution context into a signal. It is a pipe because Nest injects dependencies into pipes. */
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
 * Injects an `AbortSignal` into a handler. The signal aborts when the drain starts to refuse new work, so that an
 * endless response (SSE, long poll, stream) can end. In an HTTP handler it also aborts when the client closes the
 * connection. Message and WebSocket handlers share one signal, so they must remove the listeners they add.
 *
 * @example
 * ```ts
 * import { Controller, Get } from '@nestjs/common';
 * import { DrainSignal } from '@roost/drain';
 * import { setTimeout as sleep } from 'node:timers/promises';
 *
 * @Controller()
 * export class ReportController {
 *   @Get('report')
 *   async report(@DrainSignal() signal: AbortSignal): Promise<string> {
 *     let pages = 0;
 *     while (!signal.aborted && pages < 100) {
 *       await sleep(10);
 *       pages++;
 *     }
 *     return `${pages} pages`;
 *   }
 * }
 * ```
 *
 * @publicApi
 */
export const DrainSignal = (): ParameterDecorator => Signal(DrainSignalPipe);
