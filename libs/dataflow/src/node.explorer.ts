import { Injectable, type Type } from '@nestjs/common';
import { DiscoveryService, ModuleRef } from '@nestjs/core';
import type { NodeModel } from './core/graph/model.js';
import type { NodeClass } from './core/index.js';
import { DuplicateNodeProviderError } from './errors/duplicate-node-provider.error.js';
import { NodeNotProvidedError } from './errors/node-not-provided.error.js';
import { RequestScopedNodeError } from './errors/request-scoped-node.error.js';
import { SharedNodeInstanceError } from './errors/shared-node-instance.error.js';

type InstanceWrapper = ReturnType<DiscoveryService['getProviders']>[number];

/** Finds the providers of nodes. */
@Injectable()
export class NodeExplorer {
  constructor(private readonly discovery: DiscoveryService) {}

  /**
   * Returns the instance of each node by name. The only node of a class gets the instance that other providers inject.
   * If a class has several nodes, or is transient, each node gets its own instance, created in the same module.
   *
   * @throws NodeNotProvidedError, DuplicateNodeProviderError, RequestScopedNodeError, SharedNodeInstanceError
   */
  async findAll(nodes: readonly NodeModel[]): Promise<Map<string, object>> {
    const providers = this.discovery.getProviders();
    const found = new Map<string, object>();
    for (const type of new Set(nodes.map((node) => node.type))) {
      const names = nodes.filter((node) => node.type === type).map(({ name }) => name);
      const provider = providerOf(type, names[0]!, providers);
      for (const name of names) found.set(name, await instanceFor(provider, type, names));
    }
    return found;
  }
}

function providerOf(type: NodeClass, node: string, providers: readonly InstanceWrapper[]): InstanceWrapper {
  const distinct = new Map<unknown, InstanceWrapper>();
  for (const provider of providers) {
    if (provider.isAlias || !provides(provider, type)) continue;
    if (!provider.isDependencyTreeStatic()) throw new RequestScopedNodeError(node, type.name);
    distinct.set(provider.isTransient ? provider : provider.instance, provider);
  }
  const [first, second] = distinct.values();
  if (!first) throw new NodeNotProvidedError(node, type.name);
  if (!second) return first;
  const modules = [...distinct.values()].map(({ host }) => host?.name ?? 'an unknown module');
  throw new DuplicateNodeProviderError(node, type.name, modules);
}

/** Matches by class or by token, because a test may have replaced the provider. */
const provides = ({ token, metatype, instance }: InstanceWrapper, type: NodeClass): boolean =>
  token === type ||
  metatype === type ||
  (isObject(instance) && (Object.getPrototypeOf(instance) as object | null) === type.prototype);

async function instanceFor(
  { metatype, instance, isTransient, isNotMetatype, host }: InstanceWrapper,
  type: NodeClass,
  names: readonly string[],
): Promise<object> {
  if (names.length === 1 && !isTransient) {
    if (!isObject(instance)) throw new NodeNotProvidedError(names[0]!, type.name);
    return instance;
  }
  if (isNotMetatype) throw new SharedNodeInstanceError(names, type.name);
  const moduleRef = host!.providers.get(ModuleRef)!.instance as ModuleRef;
  return moduleRef.create(metatype as Type<object>);
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
