import { Scope, type Type } from '@nestjs/common';
import { ModuleRef, type ModulesContainer } from '@nestjs/core';
import type { ActorClass } from './core/index.js';
import { dependenciesOf } from './dependencies.js';
import { ActorDependencyError } from './errors/actor-dependency.error.js';
import { RequestScopedActorError } from './errors/request-scoped-actor.error.js';

export type NestModule = ModulesContainer extends Map<string, infer M> ? M : never;

/** The part of Nest's error that tells which dependency is missing. */
interface NestError {
  readonly type?: unknown;
  readonly context?: { readonly index?: number; readonly key?: string | symbol; readonly name?: unknown };
}

/** Constructor arguments and injected properties of an instance. */
interface Ingredients {
  readonly parameters: readonly unknown[];
  readonly properties: object;
}

/** Creates instances of an actor class by dependency injection, in a module that imports its `forFeature`. */
export class ActorHome {
  #moduleRef: ModuleRef | undefined;
  /** Set when every instance gets the same dependencies. */
  #ingredients: Ingredients | undefined;
  #found: Promise<void> | undefined;

  /**
   * @param modules importing modules, in order; the first one that has all dependencies is used
   * @param isConstant whether a token resolves to the same value at every injection
   */
  constructor(
    private readonly type: ActorClass,
    private readonly modules: readonly NestModule[],
    private readonly isConstant: (token: unknown) => boolean,
  ) {}

  /**
   * Resolves all dependencies of an instance without creating one. Transient dependencies are created once for this
   * check.
   *
   * @throws ActorDependencyError, RequestScopedActorError
   */
  verify(): Promise<void> {
    return (this.#found ??= this.#find());
  }

  /** Returns an instance, or a promise when Nest has to create a dependency first. */
  create(): object | Promise<object> {
    const type = this.type as Type<object>;
    if (!this.#ingredients)
      return this.#moduleRef ? this.#moduleRef.create(type) : this.verify().then(() => this.create());
    const { parameters, properties } = this.#ingredients;
    return Object.assign(new type(...parameters), properties);
  }

  async #find(): Promise<void> {
    const failures: unknown[] = [];
    for (const module of this.modules) {
      const moduleRef = module.providers.get(ModuleRef)!.instance as ModuleRef;
      let parameters: readonly unknown[] = [];
      const standIn = createStandIn(this.type, (given) => (parameters = given));
      try {
        const properties = { ...(await moduleRef.create(standIn)) };
        this.#moduleRef = moduleRef;
        if (dependenciesOf(this.type).every(this.isConstant)) this.#ingredients = { parameters, properties };
        return;
      } catch (error) {
        if (isRequestScoped(error)) throw this.#requestScoped(moduleRef, error);
        failures.push(error);
      }
    }
    throw this.#explained(failures[0]);
  }

  #explained(error: unknown): unknown {
    const { type, context } = error as NestError;
    // Errors from inside a transient provider are already clear.
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
    const tokens = dependenciesOf(this.type);
    const scoped = tokens.filter((token) => typeof token === 'function' && isScoped(moduleRef, token as Type<object>));
    return new RequestScopedActorError(this.type.name, scoped.map(nameOf), error);
  }
}

/** Creates a class with the same injection metadata, which it inherits, but without running the constructor. */
function createStandIn(type: ActorClass, onParameters: (parameters: readonly unknown[]) => void): Type<object> {
  const standIn = function (...parameters: unknown[]): void {
    onParameters(parameters);
  } as unknown as Type<object>;
  Object.setPrototypeOf(standIn, type);
  Object.defineProperty(standIn, 'name', { value: type.name });
  return standIn;
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
