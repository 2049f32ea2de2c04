import type { ModulesContainer } from '@nestjs/core';
import { override } from '@roost/kernel';

type Hook = 'onApplicationBootstrap' | 'onApplicationShutdown';
type NestModule = ModulesContainer extends Map<string, infer M> ? M : never;
type Hooked = Partial<Record<Hook, (...args: unknown[]) => unknown>>;

/**
 * Calls back when the last of these hooks in the whole application has ended. Nest goes from module to module, at boot
 * from the global ones to the root and at shutdown in reverse, and calls the module class last in each.
 *
 * @param modules the modules that the application was created with: lazily loaded ones get no hooks
 */
export function afterLastHook(modules: readonly NestModule[], hook: Hook, callback: (failed: boolean) => void): void {
  const order = modules.toSorted((a, b) => b.distance - a.distance);
  const instance = order.at(hook === 'onApplicationBootstrap' ? -1 : 0)!.instance as Hooked;
  // A frozen module class cannot be given a hook: its own is the last thing that happens, and is not waited for.
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
