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

/** @publicApi */
export interface DrainSnapshot {
  readonly draining: boolean;
  /** Requests and messages that have been taken and not been answered. */
  readonly inFlight: number;
  readonly oldest: WorkInFlight | undefined;
  /** Taken since the start. */
  readonly admitted: number;
  /** Refused since the drain began. */
  readonly shed: number;
  /** Cut off at the deadline. */
  readonly forced: number;
}

/** A response, as far as its signal is concerned. */
export interface ResponseLike {
  readonly writableEnded: boolean;
  readonly writableFinished: boolean;
  /** Whether `close` has been emitted; only those of HTTP/1 know. */
  readonly closed?: boolean;
  /** Only those of HTTP/2 have one. */
  readonly stream?: { readonly destroyed: boolean };
  once(event: 'close', listener: () => void): unknown;
}

type State = 'serving' | 'announced' | 'shedding' | 'closed';

/**
 * Takes a set of servers out of service without losing work that they have accepted. Call its steps in this order:
 * `announce`, `shed`, `finish`, `close`. Calling a step again does nothing.
 *
 * @publicApi
 */
export class Drain {
  readonly options: ResolvedDrainOptions;
  readonly exemptions: Exemptions;
  readonly meter = new Meter();
  /** The number of requests and messages in flight, from now on. */
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

  /** From the first moment of a shutdown. */
  get isDraining(): boolean {
    return this.#state !== 'serving';
  }

  /** Aborts when no new work is taken any more. */
  get signal(): AbortSignal {
    return this.#draining.signal;
  }

  /**
   * Aborts when the drain begins to refuse work, or when the client closes the connection of this response. In both
   * cases a handler that may take long should end soon.
   */
  signalFor(response: ResponseLike): AbortSignal {
    const controller = new AbortController();
    if (this.signal.aborted) controller.abort(this.signal.reason);
    else this.#requestSignals.add(controller);
    const onClose = (): void => {
      this.#requestSignals.delete(controller);
      // A response of HTTP/2 that was cut off counts as finished too, but it has not been ended.
      const isComplete = response.writableEnded && response.writableFinished;
      if (!isComplete) controller.abort(new ClientGoneError());
    };
    // The client may have closed the connection while a guard was running.
    if (response.closed ?? response.stream?.destroyed) onClose();
    else response.once('close', onClose);
    return controller.signal;
  }

  /**
   * Adds a server to those that are drained. Its requests are counted from now on. Attaching it again does nothing.
   *
   * @throws InvalidServerError
   */
  attach(server: AnyHttpServer): void {
    if (!isServer(server)) throw new InvalidServerError(server);
    if (this.#servers.has(server)) return;
    this.#servers.add(server);
    this.addTarget(new HttpTarget(server, this.options, this.exemptions, this.meter));
  }

  /** A target that is added during the drain catches up with the others. */
  addTarget(target: DrainTarget): void {
    this.#targets.add(target);
    if (this.isDraining) target.announce();
    if (this.#state === 'shedding' || this.#state === 'closed') this.#stopTarget(target, () => target.shed());
    if (this.#state === 'closed') void target.close();
  }

  /** A shutdown has begun: work is still taken, and responses ask clients to open a new connection next time. */
  announce(): void {
    if (this.#state !== 'serving') return;
    this.#state = 'announced';
    for (const target of this.#targets) target.announce();
  }

  /** From now on new work is refused, and the signals of handlers abort. */
  shed(): void {
    this.#stopTaking((target) => target.shed());
  }

  /**
   * As `shed`, when another process has taken over and listens on the same port: new connections are left to it, and
   * requests on those that are open are answered.
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
   * Resolves when everything that was taken has been answered.
   *
   * @throws StuckWorkError after `limitMs`, when the work that was left has been cut off
   */
  async finish(limitMs: number): Promise<void> {
    if (await settlesWithin(this.#allDone(), Math.max(0, limitMs), this.options.clock)) return;
    const stuck = this.inFlight();
    this.meter.forced += stuck.length;
    for (const target of this.#targets) target.force();
    // Without work in flight only connections were left that would not close. They are closed by now.
    if (stuck.length > 0) throw new StuckWorkError(limitMs, stuck);
  }

  /** Closes listeners and connections. */
  async close(): Promise<void> {
    this.shed();
    this.#state = 'closed';
    await Promise.all([...this.#targets].map((target) => target.close()));
  }

  /** What is in flight, oldest first. */
  inFlight(): WorkInFlight[] {
    return [...this.#targets].flatMap((target) => target.inFlight()).sort((a, b) => b.ageMs - a.ageMs);
  }

  snapshot(): DrainSnapshot {
    const { inFlight, admitted, shed, forced } = this.meter;
    return { draining: this.isDraining, inFlight, oldest: this.inFlight()[0], admitted, shed, forced };
  }

  /** One line for a log: `2 in flight, oldest GET /report (1.2 s); 14 refused`. */
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
