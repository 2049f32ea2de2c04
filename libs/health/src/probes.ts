import { types } from 'node:util';
import { Injectable, Logger, type OnModuleInit, Scope, ServiceUnavailableException } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import {
  type HealthCheckResult,
  HealthCheckService,
  type HealthIndicatorResult,
  HealthIndicatorService,
} from '@nestjs/terminus';
import { CoordinatedShutdown } from '@roost/shutdown';
import { InvalidHealthOptionError } from './errors/invalid-health-option.error.js';
import type { HealthCheckFunction, HealthIndicatorType, HealthOptions, Probe, ProbeIndicator } from './options.js';
import { PROBES, resolveHealthOptions } from './options.js';
import { ShutdownHealthIndicator } from './shutdown.health.js';

/** Response of a probe. */
export interface ProbeAnswer {
  status: 200 | 503;
  body: HealthCheckResult;
}

/** Answers the probes, both for the routes and for the server on a separate port. */
@Injectable()
export class Probes implements OnModuleInit {
  readonly #logger = new Logger('Health');
  readonly #checks = new Map<Probe, HealthCheckFunction[]>();
  /** Probes that were down in their last check. Only changes are logged. */
  readonly #down = new Set<Probe>();

  readonly #options: Required<HealthOptions>;

  /** @throws InvalidHealthOptionError */
  constructor(
    options: HealthOptions | undefined,
    private readonly health: HealthCheckService,
    private readonly indicators: HealthIndicatorService,
    private readonly shutdownIndicator: ShutdownHealthIndicator,
    private readonly shutdown: CoordinatedShutdown,
    private readonly moduleRef: ModuleRef,
  ) {
    this.#options = resolveHealthOptions(options);
  }

  async onModuleInit(): Promise<void> {
    for (const probe of PROBES) {
      const indicators = this.#options.indicators[probe] ?? [];
      this.#checks.set(probe, await Promise.all(indicators.map((indicator) => this.#checkOf(indicator, probe))));
    }
  }

  async answer(probe: Probe): Promise<ProbeAnswer> {
    const answer = await this.#ask(this.#checksFor(probe));
    this.#tell(probe, answer);
    return answer;
  }

  #checksFor(probe: Probe): HealthCheckFunction[] {
    const checks = this.#checks.get(probe) ?? [];
    if (probe === 'live') return checks;
    if (probe === 'startup') return [() => this.#boot(), ...checks];
    const shutdown = () => this.shutdownIndicator.isHealthy();
    // During a shutdown the other checks no longer matter, and the resources they check may already be closed.
    return this.shutdown.reason ? [shutdown] : [shutdown, ...checks];
  }

  #boot(): HealthIndicatorResult {
    const indicator = this.indicators.check('boot');
    return this.shutdown.booted ? indicator.up() : indicator.down({ message: 'booting' });
  }

  async #ask(checks: HealthCheckFunction[]): Promise<ProbeAnswer> {
    try {
      return { status: 200, body: await this.health.check(checks) };
    } catch (error) {
      if (!(error instanceof ServiceUnavailableException)) throw error;
      const body = error.getResponse() as HealthCheckResult;
      // Terminus has one flag for all of its checks, so late in the shutdown it fails liveness, too.
      const isUp = body.status === 'shutting_down' && Object.keys(body.error ?? {}).length === 0;
      if (!isUp) return { status: 503, body };
      const isDegraded = Object.values(body.details).some(({ status }) => status === 'degraded');
      return { status: 200, body: { ...body, status: isDegraded ? 'degraded' : 'ok' } };
    }
  }

  #tell(probe: Probe, { status, body }: ProbeAnswer): void {
    const isDown = status === 503;
    if (this.shutdown.reason || !this.shutdown.booted || isDown === this.#down.has(probe)) return;
    if (isDown) {
      this.#down.add(probe);
      this.#logger.error(`probe ${probe} is down: ${JSON.stringify(body.error)}`);
    } else {
      this.#down.delete(probe);
      this.#logger.log(`probe ${probe} is up again`);
    }
  }

  async #checkOf(indicator: ProbeIndicator, probe: Probe): Promise<HealthCheckFunction> {
    if (!isClass(indicator)) return this.#bounded(indicator, indicator.name || 'indicator');
    const instance = await this.#instanceOf(indicator, probe);
    if (typeof instance.isHealthy !== 'function') {
      const expected = "a class with isHealthy(), or a function that calls the class's own check";
      throw new InvalidHealthOptionError(`indicators.${probe}`, indicator, expected);
    }
    return this.#bounded(() => instance.isHealthy(), indicator.name);
  }

  /** Returns the instance that the application provides, or creates one. */
  async #instanceOf(type: HealthIndicatorType, probe: Probe): Promise<InstanceType<HealthIndicatorType>> {
    let scope: Scope;
    try {
      ({ scope } = this.moduleRef.introspect(type));
    } catch {
      return this.moduleRef.create(type);
    }
    if (scope === Scope.REQUEST) {
      throw new InvalidHealthOptionError(
        `indicators.${probe}`,
        type,
        'a class that is not request-scoped and has no request-scoped dependency: one instance serves all requests',
      );
    }
    return this.moduleRef.resolve(type, undefined, { strict: false });
  }

  /** Reports an indicator as down if it throws, hangs or returns an invalid result, whatever Terminus does with it. */
  #bounded(check: HealthCheckFunction, name: string): HealthCheckFunction {
    const { timeoutMs } = this.#options;
    return () =>
      new Promise((resolve) => {
        const down = (message: string) => resolve(this.indicators.check(name).down({ message }));
        const { clock } = this.shutdown.options;
        const timer = clock.setTimer(timeoutMs, () => down(`no answer within ${timeoutMs} ms`));
        void ask(check)
          .then(resolve, (error: unknown) => down(failureText(error)))
          .finally(() => timer.cancel());
      });
  }
}

async function ask(check: HealthCheckFunction): Promise<HealthIndicatorResult> {
  const result = await check();
  const isResult = isObject(result) && Object.values(result).every(isObject);
  if (!isResult) throw new TypeError('it did not return a health indicator result');
  // A result that cannot be serialized would otherwise fail the whole probe without an explanation.
  JSON.stringify(result);
  return result;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** If `isHealthy` is an arrow function in a field, or is missing, only the source text shows that this is a class. */
const isClass = (indicator: ProbeIndicator): indicator is HealthIndicatorType =>
  typeof (indicator.prototype as { isHealthy?: unknown } | undefined)?.isHealthy === 'function' ||
  /^class\b/.test(Function.prototype.toString.call(indicator));

/**
 * Returns the message of a failed check. It is part of the response, so it has no stack and no text of unknown objects.
 */
const failureText = (error: unknown): string => {
  if (error instanceof Error || types.isNativeError(error)) return error.message;
  return typeof error === 'string' ? error : 'it threw a value that is not an Error';
};
