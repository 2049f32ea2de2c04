import { messageOf, override } from '@roost/kernel';
import { formatDuration, settlesWithin } from '@roost/time';
import type { DrainTarget, Meter, ResolvedDrainOptions, WorkInFlight } from '../core/index.js';
import { HandlersInFlight } from './handlers-in-flight.js';
import type { CountableServer } from './transports/rpc-server.js';
import { sleepWarning } from './transports/nats-grace-period.js';
import type { TransportDrain } from './transports/transport-drain.js';
import { drainOf } from './transports/transports.js';

/** Time in ms for a broker to confirm. A broker that is unreachable must not delay the exit. */
const PATIENCE_MS = 1_000;

/** One transport of a microservice or hybrid application. Nest closes it after all phases. */
export class RpcTarget implements DrainTarget {
  readonly #handlers: HandlersInFlight;
  readonly #transport: TransportDrain;
  readonly #name: string;
  #isStopping = false;
  /** Whether the broker confirmed the last request in time. */
  #isAnswered = true;
  #sentBefore = 0;

  constructor(
    server: CountableServer,
    private readonly options: ResolvedDrainOptions,
    meter: Meter,
  ) {
    this.#name = server.constructor.name;
    this.#handlers = new HandlersInFlight(server, options.clock, meter);
    this.#transport = drainOf(server, meter);
    this.#guardClose(server);
    const warning = sleepWarning(server);
    if (warning) options.logger.warn(warning);
  }

  announce(): void {}

  async shed(): Promise<void> {
    this.#isStopping = true;
    this.#handlers.paused = this.#transport.keepsComing;
    this.#sentBefore = this.#handlers.sent;
    this.#isAnswered = await this.#ask('stop accepting messages', () => this.#transport.stop());
  }

  async settle(): Promise<void> {
    await this.#ask('send its replies', () => this.#handlers.whenReplied());
    if (this.#transport.peer === 'callers') {
      await settlesWithin(this.#handlers.whenLateOver(), PATIENCE_MS, this.options.clock);
      // No separate limit: a reply that has not been sent yet is in-flight work like any other.
      await this.#transport.flush();
    } else if (this.#handlers.sent > this.#sentBefore) {
      await this.#ask('confirm its replies', () => this.#transport.flush());
    }
  }

  async close(): Promise<void> {}

  /**
   * Does nothing: a handler cannot be stopped. It is named in the error, and loses its transport when Nest closes it.
   */
  force(): void {}

  inFlight(): WorkInFlight[] {
    const unsent = this.#isStopping ? this.#transport.unsent() : [];
    return [...this.#handlers.list(), ...unsent.map((caller) => ({ name: `reply to ${caller}`, ageMs: 0 }))];
  }

  /**
   * Reports a failed close and limits its duration. Without its broker a transport may fail to close or never finish,
   * and then Nest would not run the shutdown hooks.
   */
  #guardClose(server: CountableServer): void {
    override(server, 'close', 'DrainModule', (close) => async () => {
      const closed = this.#reported('be closed', () => close.call(server));
      if (this.#isAnswered) await closed;
      else await this.#limited('close its connections', closed);
    });
  }

  /** Runs a request that takes almost no time unless the broker is unreachable. */
  #ask(what: string, ask: () => Promise<unknown>): Promise<boolean> {
    return this.#limited(what, this.#reported(what, ask));
  }

  async #reported(what: string, run: () => unknown): Promise<void> {
    try {
      await run();
    } catch (error) {
      this.options.logger.warn(`${this.#name} could not ${what}: ${messageOf(error)}`);
    }
  }

  async #limited(what: string, promise: Promise<void>): Promise<boolean> {
    const { clock, logger } = this.options;
    const isInTime = await settlesWithin(promise, PATIENCE_MS, clock);
    if (!isInTime) logger.warn(`${this.#name} did not ${what} within ${formatDuration(PATIENCE_MS)}`);
    return isInTime;
  }
}
