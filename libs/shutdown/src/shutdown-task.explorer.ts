import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { CoordinatedShutdown } from './core/index.js';
import { readShutdownTasks, type ShutdownTaskMetadata } from './decorators/shutdown-task.decorator.js';
import { RequestScopedTaskError } from './errors/request-scoped-task.error.js';

type InstanceWrapper = ReturnType<DiscoveryService['getProviders']>[number];
type Owner = Record<string | symbol, (...args: unknown[]) => unknown>;

/** Finds `@ShutdownTask` methods and registers them. May be called again: it adds only what is new. */
@Injectable()
export class ShutdownTaskExplorer {
  readonly #registered = new WeakSet<object>();
  /** How many instances of one class have a task, so that default names differ. */
  readonly #instances = new Map<string, number>();

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly shutdown: CoordinatedShutdown,
  ) {}

  /** @throws what `addTask` throws, and RequestScopedTaskError */
  registerAll(): void {
    for (const wrapper of this.wrappers()) {
      const { metatype } = wrapper;
      if (typeof metatype === 'function') this.#register(metatype, metatype.name, metatype);
      if (wrapper.isDependencyTreeStatic()) {
        for (const instance of instancesOf(wrapper)) {
          this.#register(instance, classNameOf(instance), Object.getPrototypeOf(instance) as object | null);
        }
      } else if (typeof metatype === 'function' && metatype.prototype) {
        const methods = taskMethods(metatype.prototype as object).map(({ key }) => String(key));
        if (methods.length > 0) throw new RequestScopedTaskError(metatype.name, methods);
      }
    }
  }

  /** Every provider and controller, aliases (`useExisting`) left out. */
  wrappers(): InstanceWrapper[] {
    return [...this.discovery.getProviders(), ...this.discovery.getControllers()].filter((wrapper) => !wrapper.isAlias);
  }

  #register(owner: object, className: string, methods: object | null): void {
    if (this.#registered.has(owner)) return;
    this.#registered.add(owner);
    for (const { key, tasks } of taskMethods(methods)) {
      const method = `${className}.${String(key)}`;
      for (const { phase, name, timeoutMs } of tasks) {
        this.shutdown.addTask(
          phase,
          name ?? this.#defaultName(method, tasks, phase),
          (reason, context) => (owner as Owner)[key]!(reason, context),
          { declaredBy: `${method}()`, ...(timeoutMs !== undefined && { timeoutMs }) },
        );
      }
    }
  }

  #defaultName(method: string, tasks: readonly ShutdownTaskMetadata[], phase: string): string {
    // The same task twice on one method is a mistake, and is left to be refused as a duplicate.
    const twice = tasks.filter((task) => task.phase === phase && task.name === undefined).length > 1;
    const count = (this.#instances.get(`${phase} ${method}`) ?? 0) + 1;
    this.#instances.set(`${phase} ${method}`, count);
    return count === 1 || twice ? method : `${method}#${count}`;
  }
}

/** The live objects behind a wrapper; a transient provider has one for each of its users. */
export function instancesOf(wrapper: InstanceWrapper): object[] {
  const hosts = wrapper.isTransient ? wrapper.getStaticTransientInstances() : [wrapper];
  return hosts
    .map((host) => host?.instance as unknown)
    .filter((instance) => typeof instance === 'object' && instance !== null);
}

export const classNameOf = (instance: object): string =>
  (Object.getPrototypeOf(instance) as object | null)?.constructor?.name || 'anonymous';

/** Decorated methods of a prototype or class, own and inherited; an override hides what it overrides. */
function taskMethods(start: object | null): { key: string | symbol; tasks: readonly ShutdownTaskMetadata[] }[] {
  const found = new Map<string | symbol, readonly ShutdownTaskMetadata[]>();
  for (let level = start; level && !END_OF_CHAIN.has(level); level = Object.getPrototypeOf(level) as object | null) {
    for (const key of Reflect.ownKeys(level)) {
      const value: unknown = Object.getOwnPropertyDescriptor(level, key)?.value;
      if (!found.has(key))
        found.set(key, typeof value === 'function' && key !== 'constructor' ? readShutdownTasks(value) : []);
    }
  }
  return [...found].filter(([, tasks]) => tasks.length > 0).map(([key, tasks]) => ({ key, tasks }));
}

const END_OF_CHAIN = new Set<object>([Object.prototype, Function.prototype]);
