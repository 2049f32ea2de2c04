import { messageOf } from '@roost/kernel';
import { formatDuration, settlesWithin } from '@roost/time';
import { defer, distinctUntilChanged, type Observable, startWith } from 'rxjs';
import { ClientGoneError } from './errors/client-gone.error.js';
import { DrainStartedError } from './errors/drain-started.error.js';
import { InvalidServerError } from './errors/invalid-server.error.js';
import { StuckWorkError } from './errors/stuck-work.error.js';
import { Exemptions } from './http/exemptions.js';
import { HttpTarget } from './http/http-target.js';
import { type AnyHttpServer, isServer } from './http/server.js';
import { Meter } from './meter.js';
import { type DrainOptions, type ResolvedDrainOptions, resolveDrainOptions } from './options.js';
import type { DrainTarget } from './target.js';
import type { WorkInFlight } from './work.js';

/** Counters of a drain at one moment. @publicApi */
export interface DrainSnapshot {
  readonly draining: boolean;
  /** Requests and messages that have been accepted but not answered. */
  readonly inFlight: number;
  readonly oldest: WorkInFlight | undefined;
  /** Requests and messages accepted since startup. */
  readonly admitted: number;
  /** Requests and messages refused since the drain began. */
  readonly shed: number;
  /** Requests and messages cut off at the deadline. */
  readonly forced: number;
}

/** The parts of a response that `signalFor` needs. */
export interface ResponseLike {
  readonly writableEnded: boolean;
  readonly writableFinished: boolean;
  /** Whether `close` has been emitted. Only HTTP/1 responses have this property. */
  readonly closed?: boolean;
  /** The HTTP/2 stream. Only HTTP/2 responses have one. */
  readonly stream?: { readonly destroyed: boolean };
  once(event: 'close', listener: () => void): unknown;
}

type State = 'serving' | 'announced' | 'shedding' | 'closed';

/**
 * Takes a set of servers out of service without losing the work they have accepted. Call the steps in this order:
 * `announce`, `shed`, `finish`, `close`. Calling a step again does nothing.
 *
 * @example
 * ```ts
 * import { createServer } from 'node:http';
 * import { Drain, registerDrainTasks } from '@roost/drain/core';
 * import { CoordinatedShutdown } from '@roost/shutdown/core';
 *
 * const server = createServer((_request, response) => response.end('hello'));
 * const drain = new Drain({ maxWaitMs: 5_000 });
 * drain.attach(server);
 *
 * const shutdown = new CoordinatedShutdown();
 * registerDrainTasks(shutdown, drain);
 * shutdown.installProcessHooks();
 * server.listen(3000);
 * ```
 *
 * @publicApi
 */
export class Drain {
  readonly options: ResolvedDrainOptions;
  readonly exemptions: Exemptions;
  readonly meter = new Meter();
  /** Emits the number of in-flight requests and messages: the current number, then every change. */
  readonly inFlight$: Observable<number>;
  readonly #targets = new Set<DrainTarget>();
  readonly #servers = new WeakSet<AnyHttpServer>();
  readonly #draining = new AbortController();
  readonly #requestSignals = new Set<AbortController>();
  readonly #shed: Promise<void>[] = [];
  #state: State = 'serving';

  constructor(options: DrainOptions = {}) {
    this.options = resolveDrainOptions(options);
    this.exemptions = new Exemptions(this.options.exempt);
    this.inFlight$ = defer(() => this.meter.changes$.pipe(startWith(this.meter.inFlight), distinctUntilChanged()));
  }

  /** Whether a shutdown has begun. */
  get isDraining(): boolean {
    return this.#state !== 'serving';
  }

  /** Aborts when the drain starts to refuse new work. */
  get signal(): AbortSignal {
    return this.#draining.signal;
  }

  /**
   * Returns a signal for one response. It aborts when the drain starts to refuse new work, or when the client closes
   * the connection. In both cases a long-running handler should finish soon.
   */
  signalFor(response: ResponseLike): AbortSignal {
    const controller = new AbortController();
    if (this.signal.aborted) controller.abort(this.signal.reason);
    else this.#requestSignals.add(controller);
    const onClose = (): void => {
      this.#requestSignals.delete(controller);
      // An HTTP/2 response that was cut off also counts as finished, but it has not ended.
      const isComplete = response.writableEnded && response.writableFinished;
      if (!isComplete) controller.abort(new ClientGoneError());
    };
    // The client may have closed the connection while a guard was running.
    if (response.closed ?? response.stream?.destroyed) onClose();
    else response.once('close', onClose);
    return controller.signal;
  }

  /**
   * Adds a server to the drain and counts its requests from now on. Attaching a server again does nothing.
   *
   * @throws InvalidServerError
   */
  attach(server: AnyHttpServer): void {
    if (!isServer(server)) throw new InvalidServerError(server);
    if (this.#servers.has(server)) return;
    this.#servers.add(server);
    this.addTarget(new HttpTarget(server, this.options, this.exemptions, this.meter));
  }

  /** Adds a target. A target added during the drain catches up with the others. */
  addTarget(target: DrainTarget): void {
    this.#targets.add(target);
    if (this.isDraining) target.announce();
    if (this.#state === 'shedding' || this.#state === 'closed') this.#stopTarget(target, () => target.shed());
    if (this.#state === 'closed') void target.close();
  }

  /** Announces the shutdown: work is still accepted, but responses ask clients to open a new connection next time. */
  announce(): void {
    if (this.#state !== 'serving') return;
    this.#state = 'announced';
    for (const target of this.#targets) target.announce();
  }

  /** Refuses new work from now on, and aborts the signals of handlers. */
  shed(): void {
    this.#stopTaking((target) => target.shed());
  }

  /**
   * Replaces `shed` when another process already listens on the same port. New connections go to that process, while
   * requests on open connections are still answered.
   */
  handOver(): void {
    this.#stopTaking((target) => target.handOver?.() ?? target.shed());
  }

  #stopTaking(stop: (target: DrainTarget) => Promise<void>): void {
    this.announce();
    if (this.#state !== 'announced') return;
    this.#state = 'shedding';
    for (const target of this.#targets) this.#stopTarget(target, stop);
    const reason = new DrainStartedError();
    this.#draining.abort(reason);
    for (const controller of this.#requestSignals) controller.abort(reason);
    this.#requestSignals.clear();
  }

  /**
   * Resolves when all accepted work has been answered.
   *
   * @throws StuckWorkError when work is still in flight after `limitMs`; that work has been cut off by then
   */
  async finish(limitMs: number): Promise<void> {
    if (await settlesWithin(this.#allDone(), Math.max(0, limitMs), this.options.clock)) return;
    const stuck = this.inFlight();
    this.meter.forced += stuck.length;
    for (const target of this.#targets) target.force();
    // Without in-flight work, only connections were still open. They are closed by now.
    if (stuck.length > 0) throw new StuckWorkError(limitMs, stuck);
  }

  /** Closes listeners and connections. */
  async close(): Promise<void> {
    this.shed();
    this.#state = 'closed';
    await Promise.all([...this.#targets].map((target) => target.close()));
  }

  /** Lists the in-flight work, oldest first. */
  inFlight(): WorkInFlight[] {
    return [...this.#targets].flatMap((target) => target.inFlight()).sort((a, b) => b.ageMs - a.ageMs);
  }

  snapshot(): DrainSnapshot {
    const { inFlight, admitted, shed, forced } = this.meter;
    return { draining: this.isDraining, inFlight, oldest: this.inFlight()[0], admitted, shed, forced };
  }

  /** Describes the drain in one line for a log: `2 in flight, oldest GET /report (1.2 s); 14 refused`. */
  describe(): string {
    const { inFlight, oldest, shed } = this.snapshot();
    const age = oldest ? `, oldest ${oldest.name} (${formatDuration(oldest.ageMs)})` : '';
    return `${inFlight} in flight${age}${shed > 0 ? `; ${shed} refused` : ''}`;
  }

  #stopTarget(target: DrainTarget, stop: (target: DrainTarget) => Promise<void>): void {
    const done = stop(target).catch((error: unknown) => {
      this.options.logger.error(`could not stop accepting new work everywhere: ${messageOf(error)}`);
    });
    this.#shed.push(done);
  }

  async #allDone(): Promise<void> {
    await Promise.all(this.#shed);
    do {
      await this.meter.whenIdle();
      await Promise.all([...this.#targets].map((target) => this.#settleTarget(target)));
    } while (this.meter.inFlight > 0);
  }

  async #settleTarget(target: DrainTarget): Promise<void> {
    try {
      await target.settle();
    } catch (error) {
      this.options.logger.error(`could not wait for all in-flight work: ${messageOf(error)}`);
    }
  }
}
