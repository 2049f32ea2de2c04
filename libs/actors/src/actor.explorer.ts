import { Injectable } from '@nestjs/common';
import { INQUIRER, ModulesContainer } from '@nestjs/core';
import type { NestModule } from './actor-home.js';
import { FEATURE, SYSTEM_DEFINITION } from './actors.constants.js';
import { getActorToken } from './actors.tokens.js';
import type { ActorClass } from './core/index.js';
import { DuplicateActorSystemError } from './errors/duplicate-actor-system.error.js';
import { UnknownActorSystemError } from './errors/unknown-actor-system.error.js';

/** The system declared by a `forRoot`. */
export interface SystemDefinition {
  readonly name: string;
  readonly isGlobal: boolean;
}

/** The actors declared by a `forFeature`. */
export interface Feature {
  readonly actors: readonly ActorClass[];
  readonly system: string | undefined;
}

export interface FoundFeature extends Feature {
  /** Modules whose providers its actors are created with. */
  readonly homes: readonly NestModule[];
}

const DEFAULT_NAME = 'default';

/** Finds the systems and features that the application's modules declare, and rejects contradictory ones. */
@Injectable()
export class ActorExplorer {
  /** Systems in module order. */
  readonly systems: readonly SystemDefinition[];

  /** @throws DuplicateActorSystemError, UnknownActorSystemError */
  constructor(private readonly modules: ModulesContainer) {
    this.systems = [...this.modules.values()].flatMap((module) => valueOf<SystemDefinition>(module, SYSTEM_DEFINITION));
    const names = this.systems.map(({ name }) => name);
    const twice = names.find((name, index) => names.indexOf(name) !== index);
    if (twice !== undefined) throw new DuplicateActorSystemError(twice);
    for (const feature of this.features()) this.#assertSystem(feature);
  }

  /** Name of the system declared without a name, or else of the first one. */
  get defaultName(): string {
    const named = this.systems.find(({ name }) => name === DEFAULT_NAME) ?? this.systems[0];
    return named?.name ?? DEFAULT_NAME;
  }

  /** Reads the modules at every call, because modules may be loaded lazily. */
  features(): FoundFeature[] {
    const modules = [...this.modules.values()];
    return modules.flatMap((module) =>
      valueOf<Feature>(module, FEATURE).map((feature) => {
        const importers = modules.filter(({ imports }) => imports.has(module));
        return { ...feature, homes: importers.length > 0 ? importers : [module] };
      }),
    );
  }

  /**
   * Whether every injection of the token gets the same value. Actor tokens do, although their providers are transient.
   */
  isConstant(token: unknown): boolean {
    const isActor = this.features().some(({ actors, system }) =>
      actors.some((type) => token === getActorToken(type) || token === getActorToken(type, system)),
    );
    if (isActor) return true;
    if (token === INQUIRER) return false;
    return [...this.modules.values()].every(({ providers }) => !providers.get(token as symbol)?.isTransient);
  }

  #assertSystem({ actors, system, homes }: FoundFeature): void {
    const names = this.systems.map(({ name }) => name);
    if (system === undefined ? names.length > 0 : names.includes(system)) return;
    const list = actors.map(({ name }) => name).join(', ');
    throw new UnknownActorSystemError(system, names, `forFeature([${list}]) in ${homes[0]!.name}`);
  }
}

/** Reads a `useValue` provider, which exists before Nest creates any instance. */
function valueOf<T>(module: NestModule, token: string): T[] {
  const value: unknown = module.providers.get(token)?.instance;
  return value ? [value as T] : [];
}
