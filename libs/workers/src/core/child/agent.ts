import {
  hasProcessHooks,
  ParentGoneReason,
  ProcessReplacedReason,
  ProcessTerminateReason,
  terminateProcess,
} from '@roost/shutdown/core';
import { isOurs, type StopKind, type ToChild, type ToPrimary } from './protocol.js';

const AGENT = Symbol.for('@roost/workers/child-agent');
type Holder = { [AGENT]?: ChildAgent };

/** Talks to the primary from inside a launched process or thread. The application does not know about it. */
export class ChildAgent {
  readonly #gauges = new Set<() => number>();
  #isReady = false;
  #isStopping = false;

  constructor(
    private readonly send: (message: ToPrimary) => void,
    private readonly terminate: (reason: ProcessTerminateReason) => void = terminateProcess,
  ) {}

  /** Stores the agent on the process object, so that two installed copies of this package share it. */
  static install(agent: ChildAgent): ChildAgent {
    (process as Holder)[AGENT] = agent;
    return agent;
  }

  /** The agent of this process or thread, or undefined if it was not launched. */
  static get current(): ChildAgent | undefined {
    return (process as Holder)[AGENT];
  }

  /** Announces that the child now receives messages from the primary. Earlier messages may be lost and are repeated. */
  here(): void {
    this.send({ roost: 'here' });
  }

  ready(): void {
    if (this.#isReady) return;
    this.#isReady = true;
    this.send({ roost: 'ready' });
  }

  addGauge(gauge: () => number): void {
    this.#gauges.add(gauge);
  }

  /** Handles any message on the channel, and ignores messages of the application. */
  receive(message: unknown): void {
    if (!isOurs(message)) return;
    const received = message as ToChild;
    if (received.roost === 'stop') this.stop(received.why);
    else if (received.roost === 'status') this.#report(received.id);
  }

  /** Starts the shutdown of the application, once. */
  stop(why: StopKind | 'orphaned'): void {
    if (this.#isStopping) return;
    this.#isStopping = true;
    if (why === 'orphaned') this.terminate(new ParentGoneReason());
    else if (why === 'replaced') this.terminate(new ProcessReplacedReason());
    else this.terminate(new ProcessTerminateReason('SIGTERM'));
  }

  #report(id: number): void {
    const inFlight = [...this.#gauges].reduce((sum, gauge) => sum + read(gauge), 0);
    this.send({ roost: 'status', id, isManaged: hasProcessHooks(), ...(this.#gauges.size > 0 && { inFlight }) });
  }
}

/** A gauge that throws must not end the process. */
const read = (gauge: () => number): number => {
  try {
    return gauge();
  } catch {
    return 0;
  }
};

/**
 * Tells the launcher that this process or thread is up. A rolling restart waits for this before it replaces the next
 * child. `WorkersModule` and `runGracefully()` call it automatically, and an HTTP worker is up when it listens. Does
 * nothing outside a launched process.
 *
 * @example
 * ```ts
 * import { createServer } from 'node:net';
 * import { reportReady } from '@roost/workers';
 *
 * createServer((socket) => socket.end('hello')).listen(7000, () => reportReady());
 * ```
 *
 * @publicApi
 */
export const reportReady = (): void => ChildAgent.current?.ready();

/**
 * Adds a gauge of in-flight work to the status of the launcher. Several gauges are summed. Does nothing outside a
 * launched process.
 *
 * @example
 * ```ts
 * import { reportInFlight } from '@roost/workers';
 *
 * const jobs = new Set<string>();
 * reportInFlight(() => jobs.size);
 * ```
 *
 * @publicApi
 */
export const reportInFlight = (gauge: () => number): void => ChildAgent.current?.addGauge(gauge);
