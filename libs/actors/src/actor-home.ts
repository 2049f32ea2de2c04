import { Scope, type Type } from '@nestjs/common';
import { ModuleRef, type ModulesContainer } from '@nestjs/core';
import type { ActorClass } from './core/index.js';
import { ActorDependencyError } from './errors/actor-dependency.error.js';
import { RequestScopedActorError } from './errors/request-scoped-actor.error.js';

export type NestModule = ModulesContainer extends Map<string, infer M> ? M : never;

/** What Nest's own error says about where it was looking, as far as it concerns us. */
interface NestError {
  readonly type?: unknown;
  readonly context?: { readonly index?: number; readonly key?: string | symbol; readonly name?: unknown };
}

/** Makes the instances of an actor class by dependency injection, in a module that imports its `forFeature`. */
export class ActorHome {
  #moduleRef: ModuleRef | undefined;
  #found: Promise<ModuleRef> | undefined;

  /** @param modules those that import it, in order: the first that has all dependencies is taken */
  constructor(
    private readonly type: ActorClass,
    private readonly modules: readonly NestModule[],
  ) {}

  /**
   * Resolves everything an instance needs, without making one. Transient providers among it are made once for that.
   *
   * @throws ActorDependencyError, RequestScopedActorError
   */
  async verify(): Promise<void> {
    this.#moduleRef ??= await (this.#found ??= this.#find());
  }

  async create(): Promise<object> {
    if (!this.#moduleRef) await this.verify();
    return this.#moduleRef!.create(this.type as Type<object>);
  }

  async #find(): Promise<ModuleRef> {
    const failures: unknown[] = [];
    for (const module of this.modules) {
      const moduleRef = module.providers.get(ModuleRef)!.instance as ModuleRef;
      try {
        await moduleRef.create(standIn(this.type));
        return moduleRef;
      } catch (error) {
        if (isRequestScoped(error)) throw this.#requestScoped(moduleRef, error);
        failures.push(error);
      }
    }
    throw this.#explained(failures[0]);
  }

  #explained(error: unknown): unknown {
    const { type, context } = error as NestError;
    // A transient provider that throws, or misses something itself, speaks for itself.
    if (type !== this.type.name || !context) return error;
    const { index, key, name } = context;
    const token = nameOf(name);
    const what = key === undefined ? `parameter ${index} (${token})` : `property "${String(key)}" (${token})`;
    return new ActorDependencyError(
      this.type.name,
      what,
      this.modules.map((module) => module.name),
      error,
    );
  }

  #requestScoped(moduleRef: ModuleRef, error: unknown): RequestScopedActorError {
    const tokens = (Reflect.getMetadata('design:paramtypes', this.type) as unknown[] | undefined) ?? [];
    const scoped = tokens.filter((token) => typeof token === 'function' && isScoped(moduleRef, token as Type<object>));
    return new RequestScopedActorError(this.type.name, scoped.map(nameOf), error);
  }
}

/** A class with the dependencies of another, and without its constructor: metadata is inherited. */
function standIn(type: ActorClass): Type<object> {
  const empty = function (): void {} as unknown as Type<object>;
  Object.setPrototypeOf(empty, type);
  Object.defineProperty(empty, 'name', { value: type.name });
  return empty;
}

const isRequestScoped = (error: unknown): boolean =>
  ['RequestScopedCreateException', 'InvalidClassScopeException'].includes((error as object)?.constructor?.name);

function isScoped(moduleRef: ModuleRef, token: Type<object>): boolean {
  try {
    return moduleRef.introspect(token).scope === Scope.REQUEST;
  } catch {
    return false;
  }
}

const nameOf = (token: unknown): string =>
  typeof token === 'function' ? token.name : typeof token === 'string' ? `"${token}"` : String(token);
