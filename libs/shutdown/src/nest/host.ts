import { Injectable } from '@nestjs/common';
import { deferred } from '@roost/kernel';
import { settlesWithin } from '@roost/time';
import {
  ApplicationCloseReason,
  CoordinatedShutdown,
  ProcessTerminateReason,
  type ShutdownHost,
  type ShutdownReason,
  type TaskReport,
} from '../core/index.js';
import { ProcessHub } from '../core/process/process-hub.js';
import { HookTracker } from './hook-tracker.js';
import { classNameOf, instancesOf, ShutdownTaskExplorer } from '../shutdown-task.explorer.js';

/**
 * The Nest application as seen by the engine. `enableCoordinatedShutdown(app)` passes in its `close`. Otherwise Nest
 * closes the application (`enableShutdownHooks`, `app.close()`), and this class observes that through the lifecycle
 * hooks of the module.
 */
@Injectable()
export class NestHost implements ShutdownHost {
  /** Instances whose hooks are not in the report. */
  readonly unwatched = new WeakSet<object>();
  phasesAreOver = false;
  booted = false;
  readonly #hooks: HookTracker;
  readonly #phasesBegan = new Milestone();
  readonly #began = new Milestone();
  readonly #ended = new Milestone();
  #closeApp: ((signal?: string) => Promise<void>) | undefined;
  #boot: Milestone | undefined;
  #closing = false;
  /** Whether a signal had to wait for the boot, possibly before Nest listened for it. */
  #heldBack = false;

  constructor(
    private readonly shutdown: CoordinatedShutdown,
    private readonly explorer: ShutdownTaskExplorer,
  ) {
    this.#hooks = new HookTracker(shutdown.options.clock);
    shutdown.attachHost(this);
    shutdown.events$.subscribe(({ type }) => {
      if (type === 'shutdown.started') this.#phasesBegan.reach();
      if (type === 'shutdown.finished') this.phasesAreOver = true;
    });
  }

  /** Whether `enableCoordinatedShutdown(app)` was called. */
  get ownsApp(): boolean {
    return this.#closeApp !== undefined;
  }

  ownApp(close: (signal?: string) => Promise<void>): void {
    this.#closeApp = close;
  }

  bootBegan(): void {
    if (this.#boot?.reached ?? true) this.#boot = new Milestone();
  }

  bootEnded(): void {
    this.#boot?.reach();
  }

  whenBooted(): Promise<void> | undefined {
    if (!this.#boot || this.#boot.reached) return undefined;
    this.#heldBack = true;
    return this.#boot.promise;
  }

  /**
   * Called when Nest starts to close the application: on a signal, on `app.close()`, or as the last step of the
   * shutdown. Runs the phases, or waits for them if they are already running.
   */
  async phasesOver(): Promise<void> {
    this.#began.reach();
    const { reason, state } = this.shutdown;
    // After a signal during boot, the phases start when the boot has settled.
    if (reason && state === 'running') await this.#phasesBegan.promise;
    const run = reason ? this.shutdown.run() : this.shutdown.run(new ApplicationCloseReason());
    await run.catch(() => undefined);
  }

  /** Called after Nest's last hook. */
  nestEnded(): void {
    this.#ended.reach();
  }

  async close(reason: ShutdownReason): Promise<void> {
    for (const wrapper of this.explorer.wrappers()) {
      if (!wrapper.isDependencyTreeStatic()) continue;
      for (const instance of instancesOf(wrapper)) {
        if (!this.unwatched.has(instance)) this.#hooks.watch(instance, classNameOf(instance));
      }
    }
    this.#closing = true;
    await this.#close(reason instanceof ProcessTerminateReason ? reason.signal : undefined);
    this.#closing = false;
  }

  async #close(signal: string | undefined): Promise<void> {
    // Nest's own signal listener, or a caller that has just created the application, needs a few turns to get here.
    if (!this.#closeApp && !this.#began.reached) await new Promise(setImmediate);
    if (this.#closeApp) return this.#closeApp(signal);
    if (!this.#began.reached && signal && process.listenerCount(signal) > 1) {
      if (this.#heldBack) ProcessHub.of().passOn(signal);
      await this.#whenClosing();
    }
    if (this.#began.reached) return this.#ended.promise;
    this.shutdown.options.logger.warn(
      'the phases have finished, but nothing closed the Nest application, so its shutdown hooks did not run. ' +
        'Call enableCoordinatedShutdown(app) in main.ts.',
    );
  }

  /** Waits a while, because another listener of the signal may be about to call `app.close()`, or may be unrelated. */
  async #whenClosing(): Promise<void> {
    const { clock, defaultPhaseTimeoutMs } = this.shutdown.options;
    await settlesWithin(this.#began.promise, defaultPhaseTimeoutMs, clock);
  }

  pending(): string[] {
    if (!this.#closing) return [];
    const hooks = this.#hooks.pending();
    if (hooks.length > 0) return hooks;
    return [
      this.#began.reached || this.ownsApp
        ? 'Nest closing its servers and connections'
        : 'app.close(), which has not been called yet',
    ];
  }

  hooks(cutOff: boolean): TaskReport[] {
    return this.#hooks.reports(cutOff);
  }
}

class Milestone {
  reached = false;
  readonly #deferred = deferred();
  readonly promise = this.#deferred.promise;

  reach(): void {
    this.reached = true;
    this.#deferred.resolve();
  }
}
