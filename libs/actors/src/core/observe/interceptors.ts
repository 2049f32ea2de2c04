import { isThenable } from '@roost/kernel';
import { formatDuration } from '@roost/time';
import type { ActorContext } from '../actor-context.js';
import { Behavior, type MessageHandler } from '../behavior.js';
import { typeOf } from '../type-of.js';
import { ContextLogger } from '../context-logger.js';
import type { Interceptor } from '../props.js';

/** The behavior with the interceptors around its message handler. */
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
 * Calls `record` for every message, with the class of the message and the time from the call of its handler until it has
 * settled. When `record` throws, the actor fails. @publicApi
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

/** Logs a line for every message: its class, how it ended, how long it took. Not what is in it. @publicApi */
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
