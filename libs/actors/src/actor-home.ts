import { Scope, type Type } from '@nestjs/common';
import { ModuleRef, type ModulesContainer } from '@nestjs/core';
import type { ActorClass } from './core/index.js';
import { dependenciesOf } from './dependencies.js';
import { ActorDependencyError } from './errors/actor-dependency.error.js';
import { RequestScopedActorError } from './errors/request-scoped-actor.error.js';

export type NestModule = ModulesContainer extends Map<string, infer M> ? M : never;

/** What Nest's own error says about where it was looking, as far as it concerns us. */
interface NestError {
  readonly type?: unknown;
  readonly context?: { readonly index?: number; readonly key?: string | symbol; readonly name?: unknown };
}

/** What an instance is made with. */
interface Ingredients {
  readonly parameters: readonly unknown[];
  readonly properties: object;
}

/** Makes the instances of an actor class by dependency injection, in a module that imports its `forFeature`. */
export class ActorHome {
  #moduleRef: ModuleRef | undefined;
  /** When they are the same for every instance. */
  #ingredients: Ingredients | undefined;
  #found: Promise<void> | undefined;

  /**
   * @param modules those that import it, in order: the first that has all dependencies is taken
   * @param isConstant whether a token stands for the same value whenever it is injected
   */
  constructor(
    private readonly type: ActorClass,
    private readonly modules: readonly NestModule[],
    private readonly isConstant: (token: unknown) => boolean,
  ) {}

  /**
   * Resolves everything an instance needs, without making one. Transient providers among it are made once for that.
   *
   * @throws ActorDependencyError, RequestScopedActorError
   */
  verify(): Promise<void> {
    return (this.#found ??= this.#find());
  }

  /** At once, unless it needs something that Nest has to make for it. */
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
    const tokens = dependenciesOf(this.type);
    const scoped = tokens.filter((token) => typeof token === 'function' && isScoped(moduleRef, token as Type<object>));
    return new RequestScopedActorError(this.type.name, scoped.map(nameOf), error);
  }
}

/** A class with the dependencies of another, and without its constructor: metadata is inherited. */
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
