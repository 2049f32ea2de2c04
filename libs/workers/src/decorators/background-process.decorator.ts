import type { RestartPolicy, RunToken } from '../core/index.js';
import { BACKGROUND_PROCESS_METADATA } from '../workers.constants.js';

/** Options of `@BackgroundProcess()`. @publicApi */
export interface BackgroundProcessOptions {
  /** Unique in the application. @default the class name: `order-consumer` for `OrderConsumerProcess` */
  name?: string;
  /** Decides whether the process is restarted after an error. @default the policy of `WorkersModule` */
  restart?: RestartPolicy;
  /** Time in ms that a shutdown waits for the process to stop. @default the wait of `WorkersModule` */
  maxWaitMs?: number;
}

/** The method that a class with `@BackgroundProcess()` must have. @publicApi */
export interface ProcessHandler {
  /**
   * Called after the application has booted. The process ends when this returns. After an error the restart policy
   * decides.
   */
  handle(run: RunToken): unknown;
}

/**
 * Makes a provider a background process. Its `handle(run)` is called after the application has booted, and a shutdown
 * waits until it has returned. List the class in the `providers` of a module, in the default scope.
 *
 * The decorator is not inherited: a subclass is a background process only if it is decorated too.
 *
 * @example
 * ```ts
 * import { BackgroundProcess, type RunToken } from '@roost/workers';
 *
 * @BackgroundProcess()
 * export class CleanupProcess {
 *   async handle(run: RunToken): Promise<void> {
 *     while (run.isRunning()) {
 *       await this.removeExpired();
 *       await run.sleep(60_000);
 *     }
 *   }
 *
 *   private async removeExpired(): Promise<void> {}
 * }
 * ```
 *
 * @publicApi
 */
export const BackgroundProcess =
  (options: BackgroundProcessOptions = {}) =>
  (type: abstract new (...args: never[]) => ProcessHandler): void =>
    Reflect.defineMetadata(BACKGROUND_PROCESS_METADATA, options, type);

export const readProcessOptions = (type: object): BackgroundProcessOptions | undefined =>
  Reflect.getOwnMetadata(BACKGROUND_PROCESS_METADATA, type) as BackgroundProcessOptions | undefined;

/** Derives the name: `HTTPPoller2Process` → `http-poller2`. */
export const processNameOf = (className: string): string =>
  className
    .replace(/(?<=.)Process$/, '')
    .replace(/([a-z\d])([A-Z])/g, '$1-$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1-$2')
    .toLowerCase();
