import type { PhaseName, ShutdownTaskFunction } from '../core/index.js';
import { SHUTDOWN_TASK_METADATA } from '../shutdown.constants.js';

/** @publicApi */
export interface ShutdownTaskOptions {
  /** Name, unique in its phase. Further instances of the class get `#2`, `#3`… appended. @default `ClassName.method` */
  name?: string;
  /** Timeout of the task in ms, in addition to the phase timeout. @default none */
  timeoutMs?: number;
}

export interface ShutdownTaskMetadata extends ShutdownTaskOptions {
  phase: PhaseName;
}

/**
 * Runs the method of a provider or controller in a phase of the shutdown, as `method(reason, ctx)`.
 *
 * It can be applied to one method several times, and to static methods. Inherited methods count. A method that overrides
 * a decorated one is a task only if it is decorated again. On a request-scoped provider, the decorator fails the boot.
 *
 * @example
 * ```ts
 * import { Injectable } from '@nestjs/common';
 * import { Phase, type ShutdownReason, ShutdownTask, type ShutdownTaskContext } from '@roost/shutdown';
 *
 * @Injectable()
 * export class SearchIndex {
 *   @ShutdownTask(Phase.ServiceStop, { timeoutMs: 3_000 })
 *   async flush(reason: ShutdownReason, ctx: ShutdownTaskContext): Promise<void> {
 *     await fetch('http://search/flush', { method: 'POST', signal: ctx.signal });
 *     console.log(`flushed the index: ${reason.name}`);
 *   }
 * }
 * ```
 *
 * @publicApi
 */
export const ShutdownTask =
  (phase: PhaseName, options: ShutdownTaskOptions = {}) =>
  <T extends ShutdownTaskFunction>(
    _target: object,
    _key: string | symbol,
    descriptor: TypedPropertyDescriptor<T>,
  ): void => {
    // Decorators are applied from the bottom up. Prepending keeps the order of the source.
    const method = descriptor.value!;
    Reflect.defineMetadata(SHUTDOWN_TASK_METADATA, [{ phase, ...options }, ...readShutdownTasks(method)], method);
  };

export const readShutdownTasks = (method: object): readonly ShutdownTaskMetadata[] =>
  (Reflect.getOwnMetadata(SHUTDOWN_TASK_METADATA, method) as ShutdownTaskMetadata[] | undefined) ?? [];
