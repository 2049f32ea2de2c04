import { formatDuration } from '@roost/time';
import type { ResolvedShutdownOptions } from './options.js';
import type { PhaseName } from './phase.js';
import type { PhaseGraph } from './phase-graph.js';

/** Time in ms at the end of a phase for a task to stop unfinished work by force and log it. @publicApi */
export const FORCE_MARGIN_MS = 100;

/** @publicApi */
export interface PhaseTimeOptions {
  /** Module or library that needs the time, shown in the warning. */
  declaredBy: string;
  /**
   * Sentences appended to the warning when the application has set a shorter timeout: what is lost in that case, and
   * which options to change.
   */
  advice: string;
  /**
   * Longest time in ms that the phase may take from the time the other phases leave unused, decided when the shutdown
   * starts. For waits that do not justify a longer deadline. @default 0
   */
  growsIntoRestMs?: number | (() => number);
}

interface Reservation extends PhaseTimeOptions {
  readonly phase: PhaseName;
  readonly ms: number | (() => number);
}

interface PhaseTimesContext {
  readonly graph: PhaseGraph;
  readonly options: ResolvedShutdownOptions;
  /** Longest time all tasks registered so far can take, in ms. */
  readonly totalMs: () => number;
  /** Whether the phase timeout can still be changed. */
  readonly isPending: (phase: string) => boolean;
}

/** Time that libraries reserve in a phase. A timeout set by the application overrides all reservations. */
export class PhaseTimes {
  readonly #reservations: Reservation[] = [];
  #hasBegun = false;

  constructor(private readonly context: PhaseTimesContext) {}

  reserve(phase: PhaseName, ms: number | (() => number), options: PhaseTimeOptions): void {
    const reservation: Reservation = { ...options, phase, ms };
    this.#reservations.push(reservation);
    this.#apply(reservation);
  }

  /** Calls the reservation functions again, for phases that have not started. */
  update(): void {
    for (const reservation of this.#reservations) this.#apply(reservation);
  }

  /**
   * Called when the shutdown starts. Phases may now grow into the time that the others leave unused, in reservation
   * order.
   */
  begin(): void {
    this.#hasBegun = true;
    this.update();
  }

  /** Returns one line per phase whose timeout the application has set too short. */
  warnings(): string[] {
    return this.#reservations.flatMap(({ phase, ms, declaredBy, advice }) => {
      const setMs = this.#setByApplication(phase);
      const neededMs = valueOf(ms);
      if (setMs === undefined || setMs >= neededMs) return [];
      const [has, needs] = [formatDuration(setMs), formatDuration(neededMs)];
      return [`phase ${phase} ends after ${has}, but ${declaredBy} may need ${needs}. ${advice}`];
    });
  }

  #apply({ phase, ms, growsIntoRestMs = 0 }: Reservation): void {
    const { graph, options, totalMs, isPending } = this.context;
    if (this.#setByApplication(phase) !== undefined || !isPending(phase)) return;
    const { timeoutMs: hasMs } = graph.get(phase, 'reservePhaseTime()');
    const restMs = options.timeoutMs - options.hooksBudgetMs - (totalMs() - hasMs);
    const grownMs = this.#hasBegun ? Math.min(withMargin(valueOf(growsIntoRestMs)), restMs) : 0;
    const neededMs = Math.max(withMargin(valueOf(ms)), grownMs);
    if (neededMs > hasMs) graph.setTimeout(phase, neededMs, `reservePhaseTime("${phase}")`);
  }

  #setByApplication(phase: PhaseName): number | undefined {
    return this.context.options.phases[phase]?.timeoutMs;
  }
}

const valueOf = (ms: number | (() => number)): number => (typeof ms === 'number' ? ms : ms());

const withMargin = (ms: number): number => (ms > 0 ? ms + FORCE_MARGIN_MS : 0);
