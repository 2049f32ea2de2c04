import type { ModulesContainer } from '@nestjs/core';
import { override } from '@roost/kernel';

type Hook = 'onApplicationBootstrap' | 'onApplicationShutdown';
type NestModule = ModulesContainer extends Map<string, infer M> ? M : never;
type Hooked = Partial<Record<Hook, (...args: unknown[]) => unknown>>;

/**
 * Calls back after the last of these hooks in the whole application. Nest calls hooks module by module, at boot from
 * the global modules to the root and at shutdown in reverse, and in each module it calls the module class last.
 *
 * @param modules the modules that the application was created with; Nest calls no hooks of lazily loaded modules
 */
export function afterLastHook(modules: readonly NestModule[], hook: Hook, callback: (failed: boolean) => void): void {
  const order = modules.toSorted((a, b) => b.distance - a.distance);
  const instance = order.at(hook === 'onApplicationBootstrap' ? -1 : 0)!.instance as Hooked;
  // A hook cannot be added to a frozen module class. Its own hook is then the last one, and the callback does not wait
  // for it.
  if (!Object.isExtensible(instance)) return callback(false);
  const reported =
    (original: NonNullable<Hooked[Hook]>) =>
    async (...args: unknown[]): Promise<void> => {
      let failed = true;
      try {
        await original.apply(instance, args);
        failed = false;
      } finally {
        callback(failed);
      }
    };
  override(instance, hook, 'CoordinatedShutdownModule', reported, { fallback: () => undefined });
}
