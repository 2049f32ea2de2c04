import {
  hasProcessHooks,
  ParentGoneReason,
  ProcessReplacedReason,
  ProcessTerminateReason,
  terminateProcess,
} from '@roost/shutdown/core';
import { isOurs, type StopWord, type ToChild, type ToPrimary } from './protocol.js';

const AGENT = Symbol.for('@roost/workers/child-agent');
type Holder = { [AGENT]?: ChildAgent };

/** The side of a launched process or thread that talks to the primary. The application itself knows nothing of it. */
export class ChildAgent {
  readonly #gauges = new Set<() => number>();
  #isReady = false;
  #isTold = false;

  constructor(
    private readonly send: (message: ToPrimary) => void,
    private readonly terminate: (reason: ProcessTerminateReason) => void = terminateProcess,
  ) {}

  /** Kept on the process object: two installed copies of this package still share one. */
  static install(agent: ChildAgent): ChildAgent {
    (process as Holder)[AGENT] = agent;
    return agent;
  }

  /** The one of this process or thread, if it was launched. */
  static get current(): ChildAgent | undefined {
    return (process as Holder)[AGENT];
  }

  /** From now on words of the primary are heard. Those that came before may be lost: it has to say them again. */
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

  /** Whatever came over the channel: messages of others are left alone. */
  receive(message: unknown): void {
    if (!isOurs(message)) return;
    const word = message as ToChild;
    if (word.roost === 'stop') this.stop(word.why);
    else if (word.roost === 'status') this.#report(word.id);
  }

  /** Begins the shutdown of the application, once. */
  stop(why: StopWord | 'orphaned'): void {
    if (this.#isTold) return;
    this.#isTold = true;
    if (why === 'orphaned') this.terminate(new ParentGoneReason());
    else if (why === 'replaced') this.terminate(new ProcessReplacedReason());
    else this.terminate(new ProcessTerminateReason('SIGTERM'));
  }

  #report(id: number): void {
    const inFlight = [...this.#gauges].reduce((sum, gauge) => sum + read(gauge), 0);
    this.send({ roost: 'status', id, isManaged: hasProcessHooks(), ...(this.#gauges.size > 0 && { inFlight }) });
  }
}

/** One that fails must not take the process with it. */
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

/** A number of things in hand, for the status of the launcher. Several are added up. @publicApi */
export const reportInFlight = (gauge: () => number): void => ChildAgent.current?.addGauge(gauge);
