import { isThenable } from '@roost/kernel';
import { formatDuration } from '@roost/time';
import type { ActorContext } from '../actor-context.js';
import { Behavior, type MessageHandler } from '../behavior.js';
import { typeOf } from '../type-of.js';
import { ContextLogger } from '../context-logger.js';
import type { Interceptor } from '../props.js';

/** Wraps the interceptors around a behavior's message handler. */
export function intercepted(
  behavior: Behavior<unknown>,
  interceptors: readonly Interceptor<never>[],
): Behavior<unknown> {
  if (interceptors.length === 0) return behavior;
  const around = (inner: MessageHandler<unknown>, interceptor: Interceptor): MessageHandler<unknown> => {
    return (ctx, message) => interceptor(ctx, message, (next) => inner(ctx, next));
  };
  const all = interceptors as unknown as readonly Interceptor[];
  return Behavior.withHandler(behavior, all.reduceRight(around, behavior.onMessage));
}

/**
 * Returns an interceptor that calls `record` for every message, with the message class and the time from the call of
 * the handler until it has settled. If `record` throws, the actor fails.
 *
 * @example
 * ```ts
 * import { Behavior, measureMessages, Props } from '@roost/actors';
 *
 * const totalMs = new Map<string, number>();
 *
 * export const measured = Props.of(
 *   Behavior.receive((ctx, text: string) => ctx.log.log(text)),
 *   {
 *     interceptors: [
 *       measureMessages(({ messageType, durationMs }) => {
 *         totalMs.set(messageType, (totalMs.get(messageType) ?? 0) + durationMs);
 *       }),
 *     ],
 *   },
 * );
 * ```
 *
 * @publicApi
 */
export function measureMessages(
  record: (sample: {
    readonly path: string;
    readonly messageType: string;
    readonly durationMs: number;
    readonly failed: boolean;
  }) => void,
): Interceptor {
  return (ctx, message, next) => {
    const { clock } = ctx.system.options;
    const started = clock.monotonic();
    const end = (failed: boolean): void =>
      record({ path: ctx.path, messageType: typeOf(message), durationMs: clock.monotonic() - started, failed });
    return withEnd(() => next(message), end);
  };
}

/**
 * Returns an interceptor that logs a line per message: its class, its outcome and its duration, but not its contents.
 *
 * @example
 * ```ts
 * import { Actor, logMessages } from '@roost/actors';
 *
 * @Actor({ interceptors: [logMessages('debug')] })
 * export class CartActor {}
 * ```
 *
 * @publicApi
 */
export function logMessages(level: keyof ContextLogger = 'debug'): Interceptor {
  const log = (ctx: ActorContext<unknown>, message: unknown) => {
    const { clock } = ctx.system.options;
    const started = clock.monotonic();
    return (failed: boolean): void => {
      const duration = formatDuration(clock.monotonic() - started);
      ctx.log[level](`${typeOf(message)} ${failed ? 'failed' : 'handled'} in ${duration}`);
    };
  };
  return (ctx, message, next) => withEnd(() => next(message), log(ctx, message));
}

function withEnd<R>(run: () => R, end: (failed: boolean) => void): R {
  let result: R;
  try {
    result = run();
  } catch (error) {
    end(true);
    throw error;
  }
  if (!isThenable(result)) {
    end(false);
    return result;
  }
  return Promise.resolve(result).then(
    (value) => {
      end(false);
      return value;
    },
    (error: unknown) => {
      end(true);
      throw error;
    },
  ) as R;
}
