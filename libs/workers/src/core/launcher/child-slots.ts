import { formatDuration } from '@roost/time';
import type { ChildEnd } from './child-handle.js';
import { ChildSlot, type StartChild } from './child-slot.js';
import type { ResolvedFleetOptions } from './fleet-options.js';
import type { ChildStatus } from './fleet-status.js';
import type { SupervisedChild } from './supervised-child.js';

/** Limit for the answer of a child to a request for its report. */
const REPORT_LIMIT_MS = 250;
/** A progress line lists up to this many children. */
const SHOWN = 10;

/** Events of all slots together. */
export interface ChildSlotsListeners {
  /** Every slot has been up once, or has done its work. */
  onUp(): void;
  /** A slot has failed too often in a row. */
  onFailed(why: string): void;
  /** No child is alive, and none is to follow. */
  onDone(): void;
}

/** All slots of a fleet, and an exact count of the living children. */
export class ChildSlots {
  readonly all: readonly ChildSlot[];
  /** Every child that has started and not ended. */
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

  /** Stops all children, and resolves when the last has ended. @returns one line for each that did not end well */
  async stop(): Promise<readonly string[]> {
    this.#isStopping = true;
    for (const slot of this.all) slot.stop();
    if (this.alive.size > 0) await new Promise<void>((resolve) => this.#whenEmpty.push(resolve));
    return this.#problems;
  }

  kill(): void {
    for (const child of this.alive) child.kill();
  }

  /** Replaces the child of one slot after the other. @returns why it was given up, if it was */
  async roll(): Promise<string | undefined> {
    for (const slot of this.all) {
      const problem = await slot.replace();
      if (problem) return problem;
    }
    return undefined;
  }

  /** The living children in one line, for the progress of a stop. */
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

  /** Warns of a child without a coordinated shutdown: a stop cuts off its work in flight. */
  async #checkManaged(child: SupervisedChild): Promise<void> {
    const report = await child.handle.report(REPORT_LIMIT_MS);
    // A child whose shutdown has ended has none any more.
    if (report?.isManaged !== false || child.state !== 'running') return;
    this.options.logger.warn(
      `${child.title} has no coordinated shutdown, so a stop loses its in-flight work. Import ` +
        'CoordinatedShutdownModule in its root module.',
    );
  }
}

/** One entry for each living child, or one for a slot that is empty. */
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
