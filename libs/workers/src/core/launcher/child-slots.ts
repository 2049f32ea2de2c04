import { formatDuration } from '@roost/time';
import type { ChildEnd } from './child-handle.js';
import { ChildSlot, type StartChild } from './child-slot.js';
import type { ResolvedFleetOptions } from './fleet-options.js';
import type { ChildStatus } from './fleet-status.js';
import type { SupervisedChild } from './supervised-child.js';

/** Time in ms for a child to answer a status request. */
const REPORT_LIMIT_MS = 250;
/** Maximum number of children in a progress line. */
const SHOWN = 10;

/** Combined events of all slots. */
export interface ChildSlotsListeners {
  /** Every slot has been up once, or has finished its work. */
  onUp(): void;
  /** A slot has failed too often in a row. */
  onFailed(why: string): void;
  /** No child is alive, and none will be started. */
  onDone(): void;
}

/** All slots of a fleet, with an exact count of the living children. */
export class ChildSlots {
  readonly all: readonly ChildSlot[];
  /** Every child that has started and not exited. */
  readonly alive = new Set<SupervisedChild>();
  readonly #problems: string[] = [];
  readonly #whenEmpty: (() => void)[] = [];
  /** Slots that have never been up. */
  readonly #notUpYet: Set<ChildSlot>;
  #isStopping = false;

  constructor(
    private readonly options: ResolvedFleetOptions,
    startChild: StartChild,
    private readonly listeners: ChildSlotsListeners,
  ) {
    const { clock, logger, bootTimeoutMs, specs } = options;
    const context = {
      clock,
      logger,
      bootTimeoutMs,
      startChild,
      onStarted: (child: SupervisedChild) => void this.alive.add(child),
      onUp: (slot: ChildSlot, child: SupervisedChild) => this.#onUp(slot, child),
      onEnded: (slot: ChildSlot, child: SupervisedChild, end: ChildEnd) => this.#onEnded(slot, child, end),
      onFailed: (why: string) => listeners.onFailed(why),
    };
    this.all = specs.flatMap((spec) =>
      Array.from({ length: spec.count }, (_, index) => new ChildSlot(spec, index + 1, context)),
    );
    this.#notUpYet = new Set(this.all);
  }

  start(): void {
    for (const slot of this.all) slot.start();
  }

  /**
   * Stops all children and resolves when the last one has exited. @returns one line for each child that did not exit
   * cleanly
   */
  async stop(): Promise<readonly string[]> {
    this.#isStopping = true;
    for (const slot of this.all) slot.stop();
    if (this.alive.size > 0) await new Promise<void>((resolve) => this.#whenEmpty.push(resolve));
    return this.#problems;
  }

  kill(): void {
    for (const child of this.alive) child.kill();
  }

  /** Replaces the children slot by slot. @returns the reason if it was aborted */
  async roll(): Promise<string | undefined> {
    for (const slot of this.all) {
      const problem = await slot.replace();
      if (problem) return problem;
    }
    return undefined;
  }

  /** Describes the living children in one line, for the progress of a stop. */
  describeAlive(): string {
    const titles = [...this.alive].map(({ title }) => title);
    const list = `${titles.slice(0, SHOWN).join(', ')}${titles.length > SHOWN ? ', ...' : ''}`;
    return `${titles.length} of ${this.all.length} children still running: ${list}`;
  }

  async describe(): Promise<ChildStatus[]> {
    return (await Promise.all(this.all.map(statusOfSlot))).flat();
  }

  #onUp(slot: ChildSlot, child: SupervisedChild): void {
    this.options.logger.log(`${child.title} is up after ${formatDuration(child.ageMs)}`);
    void this.#checkManaged(child);
    this.#wasUp(slot);
  }

  #wasUp(slot: ChildSlot): void {
    if (this.#notUpYet.delete(slot) && this.#notUpYet.size === 0) this.listeners.onUp();
  }

  #onEnded(slot: ChildSlot, child: SupervisedChild, end: ChildEnd): void {
    this.alive.delete(child);
    const problem = this.#isStopping && child.problemWith(end);
    if (problem) this.#problems.push(problem);
    if (slot.state === 'stopped' && !this.#isStopping) this.#wasUp(slot);
    if (this.alive.size > 0) return;
    for (const resolve of this.#whenEmpty.splice(0)) resolve();
    if (!this.#isStopping && this.all.every(({ state }) => state === 'stopped')) this.listeners.onDone();
  }

  /** Warns about a child without a coordinated shutdown, because a stop cuts off its in-flight work. */
  async #checkManaged(child: SupervisedChild): Promise<void> {
    const report = await child.handle.report(REPORT_LIMIT_MS);
    // A child whose shutdown has finished no longer has one.
    if (report?.isManaged !== false || child.state !== 'running') return;
    this.options.logger.warn(
      `${child.title} has no coordinated shutdown, so a stop loses its in-flight work. Import ` +
        'CoordinatedShutdownModule in its root module.',
    );
  }
}

/** Returns one entry for each living child, or one entry for an empty slot. */
async function statusOfSlot(slot: ChildSlot): Promise<ChildStatus[]> {
  const { name, spec, lastFailure } = slot;
  const common = {
    name,
    kind: spec.kind,
    restarts: slot.restarts.total,
    ...(lastFailure !== undefined && { lastFailure }),
  };
  if (slot.children.length === 0) return [{ ...common, state: slot.state }];
  return Promise.all(slot.children.map(async (child) => ({ ...common, ...(await statusOfChild(child)) })));
}

async function statusOfChild({ state, ageMs, handle }: SupervisedChild) {
  const { pid, threadId } = handle;
  const report = await handle.report(REPORT_LIMIT_MS);
  return {
    state,
    ...(pid !== undefined && { pid }),
    ...(threadId !== undefined && { threadId }),
    ageMs,
    responsive: report !== undefined,
    ...(report?.inFlight !== undefined && { inFlight: report.inFlight }),
  };
}
