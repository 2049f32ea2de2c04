import { Injectable } from '@nestjs/common';
import { DiscoveryService, ModulesContainer } from '@nestjs/core';
import { CoordinatedShutdown, type ShutdownTaskFunction } from './core/index.js';
import { readShutdownTasks, type ShutdownTaskMetadata } from './decorators/shutdown-task.decorator.js';
import { RequestScopedTaskError } from './errors/request-scoped-task.error.js';

type InstanceWrapper = ReturnType<DiscoveryService['getProviders']>[number];
type Owner = Record<string | symbol, (...args: unknown[]) => unknown>;

/**
 * Finds `@ShutdownTask` methods and registers them, once per instance, no matter how many tokens and aliases it has.
 * May be called again and then adds only new tasks.
 */
@Injectable()
export class ShutdownTaskExplorer {
  readonly #registered = new WeakSet<object>();
  /** Number of uses of a default name, or of a declaration with a name. Each instance needs a unique name. */
  readonly #uses = new Map<string | ShutdownTaskMetadata, number>();

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly modules: ModulesContainer,
    private readonly shutdown: CoordinatedShutdown,
  ) {}

  /**
   * @param onError receives the errors of `addTask`, and RequestScopedTaskError; the other tasks are still registered
   * @throws the first error, if `onError` is not given
   */
  registerAll(onError: (error: Error) => void = rethrow): void {
    for (const wrapper of this.wrappers()) {
      const { metatype } = wrapper;
      if (typeof metatype === 'function') this.#register(metatype, metatype.name, metatype, onError);
      if (wrapper.isDependencyTreeStatic()) {
        for (const instance of instancesOf(wrapper)) this.#registerInstance(instance, onError);
      } else if (typeof metatype === 'function' && metatype.prototype) {
        const methods = taskMethods(metatype.prototype as object).map(({ key }) => String(key));
        if (methods.length > 0) onError(new RequestScopedTaskError(metatype.name, methods));
      }
    }
  }

  /**
   * Returns every provider and controller, and the guards, pipes, interceptors and filters that Nest made for
   * decorators such as `@UseGuards`.
   */
  wrappers(): InstanceWrapper[] {
    const injectables = [...this.modules.values()].flatMap((module) => [...module.injectables.values()]);
    return [...this.discovery.getProviders(), ...this.discovery.getControllers(), ...injectables];
  }

  #registerInstance(instance: object, onError: (error: Error) => void): void {
    const prototype = Object.getPrototypeOf(instance) as object | null;
    // For a value, or the result of a factory, Nest does not know the class.
    const type: unknown = prototype && Object.getOwnPropertyDescriptor(prototype, 'constructor')?.value;
    if (typeof type === 'function') this.#register(type, classNameOf(instance), type, onError);
    this.#register(instance, classNameOf(instance), prototype, onError);
  }

  #register(owner: object, className: string, methods: object | null, onError: (error: Error) => void): void {
    if (this.#registered.has(owner)) return;
    this.#registered.add(owner);
    for (const { key, tasks } of taskMethods(methods)) {
      const method = `${className}.${String(key)}`;
      for (const task of tasks) {
        const { phase, name: _, ...options } = task;
        const run: ShutdownTaskFunction = (reason, context) => (owner as Owner)[key]!(reason, context);
        try {
          this.shutdown.addTask(phase, this.#nameOf(task, method, tasks), run, {
            ...options,
            declaredBy: `${method}()`,
          });
        } catch (error) {
          onError(error as Error);
        }
      }
    }
  }

  #nameOf(task: ShutdownTaskMetadata, method: string, tasks: readonly ShutdownTaskMetadata[]): string {
    const { phase, name = method } = task;
    // The same task twice on one method is a mistake, and must fail as a duplicate.
    const twice = tasks.filter((other) => other.phase === phase && (other.name ?? method) === name).length > 1;
    const key = task.name === undefined ? `${phase} ${method}` : task;
    const count = (this.#uses.get(key) ?? 0) + 1;
    this.#uses.set(key, count);
    return count === 1 || twice ? name : `${name}#${count}`;
  }
}

const rethrow = (error: Error): never => {
  throw error;
};

/** Returns the live objects behind a wrapper. A transient provider has one for each injection. */
export function instancesOf(wrapper: InstanceWrapper): object[] {
  const hosts = wrapper.isTransient ? wrapper.getStaticTransientInstances() : [wrapper];
  return hosts
    .map((host) => host?.instance as unknown)
    .filter((instance) => typeof instance === 'object' && instance !== null);
}

export const classNameOf = (instance: object): string =>
  (Object.getPrototypeOf(instance) as object | null)?.constructor?.name || 'anonymous';

/**
 * Returns the decorated methods of a prototype or class, own and inherited. An override hides the method it overrides.
 */
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
