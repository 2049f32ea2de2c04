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

/** The side of a launched process or thread that talks to the primary. The application itself does not know it. */
export class ChildAgent {
  readonly #gauges = new Set<() => number>();
  #isReady = false;
  #isStopping = false;

  constructor(
    private readonly send: (message: ToPrimary) => void,
    private readonly terminate: (reason: ProcessTerminateReason) => void = terminateProcess,
  ) {}

  /** Kept on the process object: two installed copies of this package still share one. */
  static install(agent: ChildAgent): ChildAgent {
    (process as Holder)[AGENT] = agent;
    return agent;
  }

  /** The agent of this process or thread, if it was launched. */
  static get current(): ChildAgent | undefined {
    return (process as Holder)[AGENT];
  }

  /** Announces that messages of the primary are received from now on. Earlier ones may be lost, and are sent again. */
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

  /** Takes any message of the channel, and ignores those of the application. */
  receive(message: unknown): void {
    if (!isOurs(message)) return;
    const received = message as ToChild;
    if (received.roost === 'stop') this.stop(received.why);
    else if (received.roost === 'status') this.#report(received.id);
  }

  /** Begins the shutdown of the application, once. */
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
 * Tells the launcher that this process or thread is up; until then a rolling restart does not go on to the next.
 * `WorkersModule` and `runGracefully()` do it by themselves, and workers of an HTTP application are up when they listen.
 * Outside of a launched process it does nothing.
 *
 * @publicApi
 */
export const reportReady = (): void => ChildAgent.current?.ready();

/** Adds a count of work in flight to the status of the launcher. Several counts are added up. @publicApi */
export const reportInFlight = (gauge: () => number): void => ChildAgent.current?.addGauge(gauge);
