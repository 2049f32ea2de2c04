import type { ActorSystemOptions } from './core/index.js';
import { InvalidActorOptionError } from './core/index.js';
import { check } from './core/option-checks.js';

/** Options of `ActorSystemModule.forRoot()`. @publicApi */
export interface ActorSystemModuleOptions extends ActorSystemOptions {
  /** Whether `ActorSystem.terminate()` runs the application's coordinated shutdown, if it has one. @default true */
  runShutdownOnTerminate?: boolean;
}

/** The documented defaults of options that only the module has. */
export const DEFAULT_ACTOR_SYSTEM_MODULE_OPTIONS = {
  runShutdownOnTerminate: true,
} as const satisfies ActorSystemModuleOptions;

/** Resolved module options, and system options that the `ActorSystem` constructor resolves. */
export interface ResolvedActorSystemModuleOptions extends ActorSystemOptions {
  readonly name: string;
  readonly runShutdownOnTerminate: boolean;
}

/**
 * @param name as passed to the module, which derives the system's tokens from it
 * @throws InvalidActorOptionError
 */
export function resolveActorSystemModuleOptions(
  options: ActorSystemModuleOptions | null | undefined,
  name: string,
): ResolvedActorSystemModuleOptions {
  const { runShutdownOnTerminate = DEFAULT_ACTOR_SYSTEM_MODULE_OPTIONS.runShutdownOnTerminate, ...system } =
    options ?? {};
  if (system.name !== undefined && system.name !== name) {
    const expected = `${JSON.stringify(name)}: with forRootAsync(), set the name next to useFactory, not in its result`;
    throw new InvalidActorOptionError('name', system.name, expected);
  }
  check.boolean(runShutdownOnTerminate, 'runShutdownOnTerminate');
  return { ...system, name, runShutdownOnTerminate };
}
