import { messageOf } from '@roost/kernel';
import { type CoordinatedShutdown, Phase, type ShutdownTaskContext } from '@roost/shutdown';
import { formatDuration, sleep } from '@roost/time';
import type { Dataflow, NodeDescription } from './core/index.js';
import type { ResolvedDataflowModuleOptions } from './dataflow.options.js';
import { DataflowStuckError } from './errors/dataflow-stuck.error.js';

/** Requests in flight are done by then: what they have fed into the graph is handled. */
const PHASE = Phase.ServiceStop;
/** What is kept of a phase's time to name what is stuck. */
const MARGIN_MS = 100;
/** What it may take until other processes know of a stop by force. */
const SPREAD_MS = 2_000;
/** How many nodes are named. */
const MAX_NAMES = 5;

type StopOptions = Pick<ResolvedDataflowModuleOptions, 'stopTimeoutMs' | 'isDefaultWait' | 'placement'>;

/** Stops a graph in a shutdown: at a tag, and by force if it takes too long. */
export class GracefulStop {
  #stopping: Promise<void> | undefined;
  /** Then the shutdown is not to blame for how it ended. */
  #endedBefore = false;
  #isTold = false;

  constructor(
    private readonly shutdown: CoordinatedShutdown,
    private readonly dataflow: Dataflow,
    private readonly options: StopOptions,
  ) {
    shutdown.events$.subscribe(({ type }) => {
      if (type !== 'shutdown.started') return;
      this.#endedBefore = dataflow.state === 'ended';
      this.makeRoom();
    });
    shutdown.addTask(PHASE, 'stop-dataflow', (_reason, ctx) => this.#run(ctx), { declaredBy: 'DataflowModule' });
  }

  /** Whether the shutdown has been told how it went. */
  get isTold(): boolean {
    return this.#isTold;
  }

  /**
   * Once, however often it is called. Nothing happens to a graph that does not run.
   *
   * @throws DataflowStuckError
   */
  stop(waitMs = this.options.stopTimeoutMs, forceMs = this.#forceMs): Promise<void> {
    const { state } = this.dataflow;
    if (!this.#stopping && (state === 'ready' || state === 'ended')) return Promise.resolve();
    return (this.#stopping ??= this.#stop(waitMs, forceMs));
  }

  /** As `stop()`. @throws what the graph has failed with since the shutdown began */
  async finish(waitMs?: number, forceMs?: number): Promise<void> {
    await this.stop(waitMs, forceMs);
    const { error } = this.dataflow.report ?? {};
    if (error && !this.#endedBefore) throw error;
  }

  /**
   * Gives the phase the time that the graph may need, as long as it can still be changed. What the application has set for
   * the phase wins. A wait that nobody has chosen takes, when a shutdown begins, what the other phases leave.
   *
   * @returns a warning when what the application has set is too short
   */
  makeRoom(): string | undefined {
    const { shutdown, options } = this;
    const { phases, timeoutMs, hooksBudgetMs } = shutdown.options;
    const { timeoutMs: hasMs, status } = shutdown.describe().find(({ name }) => name === PHASE)!;
    const neededMs = options.stopTimeoutMs + this.#forceMs;
    const setMs = phases[PHASE]?.timeoutMs;
    if (setMs !== undefined) {
      if (setMs >= neededMs || options.isDefaultWait) return undefined;
      return (
        `phase ${PHASE} ends after ${formatDuration(setMs)}, but the graph may need ${formatDuration(neededMs)} to stop: it ` +
        'is stopped by force before. Raise the timeout of the phase, or lower stopTimeoutMs.'
      );
    }
    const leftMs = timeoutMs - hooksBudgetMs - (shutdown.totalTimeoutMs - hasMs);
    const fillingMs = shutdown.state === 'running' ? 0 : Math.min(neededMs, leftMs);
    const wantedMs = options.isDefaultWait ? fillingMs : neededMs;
    if (status === 'pending' && wantedMs > hasMs) shutdown.setPhaseTimeout(PHASE, wantedMs);
    return undefined;
  }

  get #forceMs(): number {
    const { forceTimeoutMs } = this.dataflow.options;
    return forceTimeoutMs + MARGIN_MS + (this.options.placement ? SPREAD_MS : 0);
  }

  async #run(ctx: ShutdownTaskContext): Promise<void> {
    this.#isTold = true;
    ctx.progress(() => describeLeft(this.dataflow));
    const leftMs = ctx.deadline.left();
    const forceMs = Math.min(this.#forceMs, leftMs / 2);
    const waitMs = Math.min(this.options.stopTimeoutMs, leftMs - forceMs);
    await this.finish(waitMs, forceMs - Math.min(MARGIN_MS, forceMs / 2));
  }

  async #stop(waitMs: number, forceMs: number): Promise<void> {
    const { dataflow } = this;
    const { logger } = dataflow.options;
    dataflow.requestShutdown().catch((error: unknown) => {
      // It may just have ended by itself.
      if (dataflow.state !== 'ended') logger.warn(`the graph cannot be asked to stop: ${messageOf(error)}`);
    });
    if (await this.#endsWithin(waitMs, dataflow.ended)) return;
    const stuck = stuckNodes(dataflow).map(({ name }) => name);
    const error = new DataflowStuckError(stuck, waitMs, describeLeft(dataflow));
    const forced = dataflow.forceStop(`it had not stopped after ${formatDuration(waitMs)}`);
    await this.#endsWithin(forceMs, Promise.all([forced, dataflow.ended]));
    throw error;
  }

  /** @returns whether it did */
  async #endsWithin(ms: number, promise: Promise<unknown>): Promise<boolean> {
    const isOver = new AbortController();
    const { clock } = this.shutdown.options;
    const tooLate = sleep(ms, { clock, signal: isOver.signal }).then(
      () => false,
      () => true,
    );
    try {
      return await Promise.race([promise.then(() => true), tooLate]);
    } finally {
      isOver.abort();
    }
  }
}

/** For progress lines and errors. */
export function describeLeft(dataflow: Dataflow): string {
  const stuck = stuckNodes(dataflow);
  const names = stuck.slice(0, MAX_NAMES).map(({ name, running }) => (running ? `${name}.${running}()` : name));
  if (stuck.length > MAX_NAMES) names.push(`${stuck.length - MAX_NAMES} more`);
  if (stuck.some(({ running }) => running)) return `waiting for ${names.join(', ')}`;
  return names.length > 0 ? `not at the stop tag yet: ${names.join(', ')}` : 'waiting for nodes in other processes';
}

/** Those with a reaction that has not settled, or else those that still have something to do. */
function stuckNodes(dataflow: Dataflow): readonly NodeDescription[] {
  const { nodes } = dataflow.describe();
  const running = nodes.filter((node) => node.running !== undefined);
  return running.length > 0 ? running : nodes.filter(({ queued }) => queued > 0);
}
