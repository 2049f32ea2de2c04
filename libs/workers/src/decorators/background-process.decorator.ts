import type { RestartPolicy, RunToken } from '../core/index.js';
import { BACKGROUND_PROCESS_METADATA } from '../workers.constants.js';

/** @publicApi */
export interface BackgroundProcessOptions {
  /** Unique in the application. @default the class name: `order-consumer` for `OrderConsumerProcess` */
  name?: string;
  /** What becomes of it when it throws. @default that of `WorkersModule` */
  restart?: RestartPolicy;
  /** How long a shutdown waits for it to end. @default that of `WorkersModule` */
  maxWaitMs?: number;
}

/** What a class with `@BackgroundProcess()` has to have. @publicApi */
export interface ProcessHandler {
  /** Is called when the whole application has booted. It ends when this returns; what it throws is for the restart policy. */
  handle(run: RunToken): unknown;
}

/**
 * Makes a provider a background process: its `handle(run)` is called when the application has booted, and a shutdown
 * waits until it has returned. List the class in the `providers` of a module, in default scope.
 *
 * Not inherited: a subclass is one only if it is decorated itself.
 *
 * @publicApi
 */
export const BackgroundProcess =
  (options: BackgroundProcessOptions = {}) =>
  (type: abstract new (...args: never[]) => ProcessHandler): void =>
    Reflect.defineMetadata(BACKGROUND_PROCESS_METADATA, options, type);

export const readProcessOptions = (type: object): BackgroundProcessOptions | undefined =>
  Reflect.getOwnMetadata(BACKGROUND_PROCESS_METADATA, type) as BackgroundProcessOptions | undefined;

/** `HTTPPoller2Process` → `http-poller2`. */
export const processNameOf = (className: string): string =>
  className
    .replace(/(?<=.)Process$/, '')
    .replace(/([a-z\d])([A-Z])/g, '$1-$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1-$2')
    .toLowerCase();
