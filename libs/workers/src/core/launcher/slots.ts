import { formatDuration } from '@roost/time';
import type { Member } from './member.js';
import type { ResolvedFleetOptions } from './options.js';
import { type SlotHost, Slot } from './slot.js';
import type { ChildStatus } from './status.js';

/** How long a child may take to say what it has in hand. */
const ANSWER_LIMIT_MS = 250;

/** What happens to the slots as a whole. */
export interface SlotsListeners {
  start: SlotHost['start'];
  /** Every slot has been up once, or has done its work. */
  up(): void;
  /** A slot is given up. */
  failed(why: string): void;
  /** Nobody is there, and nobody will come. */
  empty(): void;
}

/** All slots of a fleet, and an exact count of who is there. */
export class Slots {
  readonly all: readonly Slot[];
  /** Every child that has started and not ended. */
  readonly alive = new Set<Member>();
  readonly #problems: string[] = [];
  readonly #whenEmpty: (() => void)[] = [];
  /** Those that have never been up. */
  readonly #notUpYet: Set<Slot>;
  #isStopping = false;

  constructor(
    private readonly options: ResolvedFleetOptions,
    listeners: SlotsListeners,
  ) {
    const { clock, logger, bootTimeoutMs, specs } = options;
    const wasUp = (slot: Slot): void => {
      if (this.#notUpYet.delete(slot) && this.#notUpYet.size === 0) listeners.up();
    };
    const host: SlotHost = {
      clock,
      logger,
      bootTimeoutMs,
      start: listeners.start,
      joined: (member) => void this.alive.add(member),
      up: (slot, member) => {
        logger.log(`${member.title} is up after ${formatDuration(member.ageMs)}`);
        void this.#checkManaged(member);
        wasUp(slot);
      },
      left: (slot, member, end) => {
        this.alive.delete(member);
        const problem = this.#isStopping && member.problemWith(end);
        if (problem) this.#problems.push(problem);
        if (slot.state === 'ended' && !this.#isStopping) wasUp(slot);
        if (this.alive.size > 0) return;
        for (const resolve of this.#whenEmpty.splice(0)) resolve();
        if (!this.#isStopping && this.all.every(({ state }) => state === 'ended')) listeners.empty();
      },
      failed: (_slot, why) => listeners.failed(why),
    };
    this.all = specs.flatMap((spec) =>
      Array.from({ length: spec.count }, (_, index) => new Slot(spec, index + 1, host)),
    );
    this.#notUpYet = new Set(this.all);
  }

  start(): void {
    for (const slot of this.all) slot.start();
  }

  /** Tells all of them to stop, and resolves when the last has ended. @returns what went wrong with whom */
  async stop(): Promise<readonly string[]> {
    this.#isStopping = true;
    for (const slot of this.all) slot.stop();
    if (this.alive.size > 0) await new Promise<void>((resolve) => this.#whenEmpty.push(resolve));
    return this.#problems;
  }

  kill(): void {
    for (const member of this.alive) member.kill();
  }

  /** One slot after the other. @returns why it was given up, if it was */
  async roll(): Promise<string | undefined> {
    for (const slot of this.all) {
      const problem = await slot.replace();
      if (problem) return problem;
    }
    return undefined;
  }

  /** For the progress line: who is left. */
  describeLeft(): string {
    const left = [...this.alive].map(({ title }) => title);
    return `${left.length} of ${this.all.length} children left: ${left.slice(0, 10).join(', ')}${left.length > 10 ? ', ...' : ''}`;
  }

  async describe(): Promise<ChildStatus[]> {
    return (await Promise.all(this.all.map((slot) => this.#describeSlot(slot)))).flat();
  }

  /** Without a coordinated shutdown it cannot be told to stop in order. */
  async #checkManaged(member: Member): Promise<void> {
    const report = await member.child.report(ANSWER_LIMIT_MS);
    // One whose shutdown is over has none any more.
    if (report?.isManaged !== false || member.state !== 'running') return;
    this.options.logger.warn(
      `${member.title} has no coordinated shutdown: what it has in hand is lost when it is stopped. Import ` +
        'CoordinatedShutdownModule in its root module.',
    );
  }

  async #describeSlot(slot: Slot): Promise<ChildStatus[]> {
    const { name, spec, lastFailure } = slot;
    const common = {
      name,
      kind: spec.kind,
      restarts: slot.restarts.total,
      ...(lastFailure !== undefined && { lastFailure }),
    };
    if (slot.members.length === 0) return [{ ...common, state: slot.state }];
    return Promise.all(
      slot.members.map(async ({ state, ageMs, child }) => {
        const report = await child.report(ANSWER_LIMIT_MS);
        const { pid, threadId } = child;
        return {
          ...common,
          state,
          ...(pid !== undefined && { pid }),
          ...(threadId !== undefined && { threadId }),
          ageMs,
          responsive: report !== undefined,
          ...(report?.inFlight !== undefined && { inFlight: report.inFlight }),
        };
      }),
    );
  }
}
