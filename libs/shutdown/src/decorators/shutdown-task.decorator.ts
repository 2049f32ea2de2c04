import type { PhaseName, ShutdownTaskFunction } from '../core/index.js';
import { SHUTDOWN_TASK_METADATA } from '../shutdown.constants.js';

/** @publicApi */
export interface ShutdownTaskOptions {
  /** Unique in its phase; further instances of the class get `#2`, `#3`… appended. @default `ClassName.method` */
  name?: string;
  /** A limit of the task's own, below that of its phase. @default none */
  timeoutMs?: number;
}

export interface ShutdownTaskMetadata extends ShutdownTaskOptions {
  phase: PhaseName;
}

/**
 * Runs the method of a provider or controller in a phase of the shutdown, as `method(reason, ctx)`.
 *
 * May be given several times on one method and on static methods. Inherited methods count; a method that overrides a
 * decorated one is a task only if it is decorated again. On a request-scoped provider it is refused at boot.
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
    // Decorators are applied from the bottom up: put in front, they keep the order in which they are read.
    const method = descriptor.value!;
    Reflect.defineMetadata(SHUTDOWN_TASK_METADATA, [{ phase, ...options }, ...readShutdownTasks(method)], method);
  };

export const readShutdownTasks = (method: object): readonly ShutdownTaskMetadata[] =>
  (Reflect.getOwnMetadata(SHUTDOWN_TASK_METADATA, method) as ShutdownTaskMetadata[] | undefined) ?? [];
