import { type DynamicModule, Inject, Module, Optional } from '@nestjs/common';
import { ActorSystemModule } from '@roost/actors';
import { ActorSystemHealthIndicator } from '@roost/actors/terminus';
import { DrainModule } from '@roost/drain';
import { HealthModule } from '@roost/health';
import { CoordinatedShutdownModule } from '@roost/shutdown';
import { WorkersModule } from '@roost/workers';
import { ForRootMissingError } from './errors/for-root-missing.error.js';
import { UnknownPartError } from './errors/unknown-part.error.js';

/** Options of a module's `forRoot`, or `false` to leave the module out. */
type Part<M extends { forRoot: (...args: never[]) => unknown }> = Parameters<M['forRoot']>[0] | false;

/**
 * Options of each module. A module that is set to `false` here can be imported separately, for example with its
 * `forRootAsync`.
 *
 * @publicApi
 */
export interface RoostOptions {
  /** @default {} */
  shutdown?: Part<typeof CoordinatedShutdownModule>;
  /** @default {} */
  drain?: Part<typeof DrainModule>;
  /** Options of the health probes. Readiness also checks the actors, unless `actors` is false. @default {} */
  health?: Part<typeof HealthModule>;
  /** @default {} */
  actors?: Part<typeof ActorSystemModule>;
  /** @default {} */
  workers?: Part<typeof WorkersModule>;
}

const PARTS: readonly string[] = ['shutdown', 'drain', 'health', 'actors', 'workers'] satisfies (keyof RoostOptions)[];

/** Provided by `forRoot` only, to detect an import of the bare class. */
const FOR_ROOT = Symbol('RoostModule.forRoot');

/**
 * Import it once, in the root module, in place of the modules of `@roost/shutdown`, `@roost/drain`, `@roost/health`,
 * `@roost/actors` and `@roost/workers`. It adds nothing else: these modules are global and work as if imported one by
 * one.
 *
 * @example
 * ```ts
 * import { Module } from '@nestjs/common';
 * import { RoostModule } from '@roost/nest';
 *
 * @Module({ imports: [RoostModule.forRoot({ drain: { maxWaitMs: 5_000 }, workers: false })] })
 * export class AppModule {}
 * ```
 *
 * @publicApi
 */
@Module({})
export class RoostModule {
  constructor(@Optional() @Inject(FOR_ROOT) forRoot?: true) {
    if (!forRoot) throw new ForRootMissingError();
  }

  /** @throws UnknownPartError, and the errors of the modules for invalid options */
  static forRoot(options: RoostOptions = {}): DynamicModule {
    assertParts(options);
    const { shutdown, drain, health, actors, workers } = options;
    const parts = [
      shutdown !== false && CoordinatedShutdownModule.forRoot(shutdown),
      drain !== false && DrainModule.forRoot(drain),
      health !== false && HealthModule.forRoot(actors === false ? health : withActors(health)),
      actors !== false && ActorSystemModule.forRoot(actors),
      workers !== false && WorkersModule.forRoot(workers),
    ];
    return {
      module: RoostModule,
      imports: parts.filter((part) => part !== false),
      providers: [{ provide: FOR_ROOT, useValue: true }],
    };
  }
}

/** Adds the actors to readiness: an application with a permanently failed actor should get no requests. */
function withActors(health: Exclude<RoostOptions['health'], false> = {}): typeof health {
  const { ready = [], ...others } = health.indicators ?? {};
  return { ...health, indicators: { ...others, ready: [ActorSystemHealthIndicator, ...ready] } };
}

function assertParts(options: RoostOptions): void {
  for (const [part, value] of Object.entries(options) as [string, unknown][]) {
    const isPart = value === undefined || value === false || (typeof value === 'object' && value !== null);
    if (!PARTS.includes(part) || !isPart) throw new UnknownPartError(part, PARTS);
  }
}
