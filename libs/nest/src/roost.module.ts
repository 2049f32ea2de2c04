import { type DynamicModule, Inject, Module, Optional } from '@nestjs/common';
import { ActorSystemModule } from '@roost/actors';
import { ActorSystemHealthIndicator } from '@roost/actors/terminus';
import { DrainModule } from '@roost/drain';
import { HealthModule } from '@roost/health';
import { CoordinatedShutdownModule } from '@roost/shutdown';
import { WorkersModule } from '@roost/workers';
import { ForRootMissingError } from './errors/for-root-missing.error.js';
import { UnknownPartError } from './errors/unknown-part.error.js';

/** What `forRoot` of a module takes, or `false`: leave it out. */
type Part<M extends { forRoot: (...args: never[]) => unknown }> = Parameters<M['forRoot']>[0] | false;

/**
 * Options of each part. A part that is left out here may be imported by itself, for instance with its `forRootAsync`.
 *
 * @publicApi
 */
export interface RoostOptions {
  /** @default {} */
  shutdown?: Part<typeof CoordinatedShutdownModule>;
  /** @default {} */
  drain?: Part<typeof DrainModule>;
  /** Readiness also checks the actors, unless `actors` is false. @default {} */
  health?: Part<typeof HealthModule>;
  /** @default {} */
  actors?: Part<typeof ActorSystemModule>;
  /** @default {} */
  workers?: Part<typeof WorkersModule>;
}

const PARTS: readonly string[] = ['shutdown', 'drain', 'health', 'actors', 'workers'] satisfies (keyof RoostOptions)[];

/** Tells what `forRoot` has made from the bare class. */
const FOR_ROOT = Symbol('RoostModule.forRoot');

/**
 * Import it once, in the root module, in place of the modules of `@roost/shutdown`, `@roost/drain`, `@roost/health`,
 * `@roost/actors` and `@roost/workers`. It has nothing of its own: all of them are global, and are used as if they had
 * been imported one by one.
 *
 * @publicApi
 */
@Module({})
export class RoostModule {
  constructor(@Optional() @Inject(FOR_ROOT) forRoot?: true) {
    if (!forRoot) throw new ForRootMissingError();
  }

  /** @throws UnknownPartError, and what the modules throw on wrong options */
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

/** An actor that has ended for good cannot be asked: no request should come. */
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
