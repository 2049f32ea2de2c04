import { DEFAULT_ACTOR_SYSTEM_OPTIONS, type ActorSystemOptions } from './core/index.js';
import { InvalidActorOptionError } from './core/index.js';
import { resolveOptions } from './core/options.js';

/** @publicApi */
export interface ActorSystemModuleOptions extends ActorSystemOptions {
  /** Whether `ActorSystem.terminate()` runs the coordinated shutdown of the application, if it has one. @default true */
  runShutdownOnTerminate?: boolean;
}

/** The documented defaults of what only the module has. @publicApi */
export const DEFAULT_ACTOR_SYSTEM_MODULE_OPTIONS = {
  runShutdownOnTerminate: true,
} as const satisfies ActorSystemModuleOptions;

export interface ResolvedModuleOptions extends ActorSystemOptions {
  readonly name: string;
  readonly runShutdownOnTerminate: boolean;
}

/**
 * @param name as the module was given it: the tokens of the system are made from it
 * @throws InvalidActorOptionError
 */
export function resolveModuleOptions(
  options: ActorSystemModuleOptions | undefined,
  name: string,
): ResolvedModuleOptions {
  const { runShutdownOnTerminate = DEFAULT_ACTOR_SYSTEM_MODULE_OPTIONS.runShutdownOnTerminate, ...system } =
    options ?? {};
  if (system.name !== undefined && system.name !== name) {
    const expected = `${JSON.stringify(name)}: with forRootAsync() the name stands beside useFactory, not in what it returns`;
    throw new InvalidActorOptionError('name', system.name, expected);
  }
  if (typeof runShutdownOnTerminate !== 'boolean') {
    throw new InvalidActorOptionError('runShutdownOnTerminate', runShutdownOnTerminate, 'true or false');
  }
  const resolved = { ...system, name, runShutdownOnTerminate };
  resolveOptions({ ...system, name });
  return resolved;
}

/** The name of a `forRoot` without one. */
export const DEFAULT_SYSTEM_NAME = DEFAULT_ACTOR_SYSTEM_OPTIONS.name;
