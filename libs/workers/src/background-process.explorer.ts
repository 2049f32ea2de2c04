import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { type WorkerDefinition, Workers } from './core/index.js';
import { check } from './core/option-checks.js';
import {
  type BackgroundProcessOptions,
  type ProcessHandler,
  processNameOf,
  readProcessOptions,
} from './decorators/background-process.decorator.js';
import { MissingHandleError } from './errors/missing-handle.error.js';
import { RequestScopedProcessError } from './errors/request-scoped-process.error.js';

type InstanceWrapper = ReturnType<DiscoveryService['getProviders']>[number];
type Class = { readonly name: string };

/** Finds the providers that are background processes. */
@Injectable()
export class BackgroundProcessExplorer {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly workers: Workers,
  ) {}

  /**
   * Returns one definition for each instance, regardless of its number of tokens and aliases.
   *
   * @throws RequestScopedProcessError, MissingHandleError, InvalidWorkerOptionError
   */
  findAll(): WorkerDefinition[] {
    const seen = new Set<object>();
    const found: WorkerDefinition[] = [];
    for (const wrapper of this.discovery.getProviders()) {
      this.#checkScope(wrapper);
      for (const instance of instancesOf(wrapper)) {
        const type = classOf(instance);
        const options = type && readProcessOptions(type);
        if (!options || seen.has(instance)) continue;
        seen.add(instance);
        found.push(toDefinition(instance, type, options));
      }
    }
    return found;
  }

  #checkScope(wrapper: InstanceWrapper): void {
    const type: unknown = wrapper.metatype;
    if (typeof type !== 'function' || !readProcessOptions(type)) return;
    if (!wrapper.isDependencyTreeStatic()) throw new RequestScopedProcessError(type.name);
    if (wrapper.isTransient && instancesOf(wrapper).length === 0) {
      this.workers.options.logger.warn(
        `${type.name} has @BackgroundProcess(), but is transient and injected nowhere, so there is no instance to run. ` +
          'Use the default scope.',
      );
    }
  }
}

/** Returns the live instances behind a wrapper. A transient provider has one for each consumer. */
function instancesOf(wrapper: InstanceWrapper): object[] {
  const hosts = wrapper.isTransient ? wrapper.getStaticTransientInstances() : [wrapper];
  return hosts
    .map((host) => host?.instance as unknown)
    .filter((instance) => typeof instance === 'object' && instance !== null);
}

/** Avoids `instance.constructor`, which can be anything on a value or on an object created by a factory. */
function classOf(instance: object): Class | undefined {
  const prototype = Object.getPrototypeOf(instance) as object | null;
  const type: unknown = prototype && Object.getOwnPropertyDescriptor(prototype, 'constructor')?.value;
  return typeof type === 'function' ? type : undefined;
}

function toDefinition(instance: object, type: Class, options: BackgroundProcessOptions): WorkerDefinition {
  const handler = instance as Partial<ProcessHandler>;
  check.knownKeys(options, ['name', 'restart', 'maxWaitMs'], type.name);
  if (typeof handler.handle !== 'function') throw new MissingHandleError(type.name);
  return {
    name: processNameOf(type.name),
    ...options,
    handle: (run) => (instance as ProcessHandler).handle(run),
    declaredBy: type.name,
  };
}
