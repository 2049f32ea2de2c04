import type { ModulesContainer } from '@nestjs/core';

type Hook = 'onApplicationBootstrap' | 'onApplicationShutdown';
type NestModule = ModulesContainer extends Map<string, infer M> ? M : never;
type Hooked = Partial<Record<Hook, (...args: unknown[]) => unknown>>;

/**
 * Calls back when Nest has called the last of these hooks in the whole application. Nest goes from module to module,
 * at boot from the global ones to the root and at shutdown the other way round, and in each the module class is last.
 *
 * @param modules those the application was created with: lazily loaded ones get no hooks
 */
export function afterLastHook(modules: readonly NestModule[], hook: Hook, callback: (failed: boolean) => void): void {
  const order = modules.toSorted((a, b) => b.distance - a.distance);
  const instance = order.at(hook === 'onApplicationBootstrap' ? -1 : 0)!.instance as Hooked;
  const original = instance[hook];
  const value = async (...args: unknown[]): Promise<void> => {
    let failed = true;
    try {
      await original?.apply(instance, args);
      failed = false;
    } finally {
      callback(failed);
    }
  };
  if (!Reflect.defineProperty(instance, hook, { value, configurable: true, writable: true })) callback(false);
}
