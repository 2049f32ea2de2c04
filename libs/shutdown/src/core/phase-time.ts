import { formatDuration } from '@roost/time';
import type { ResolvedShutdownOptions } from './options.js';
import type { PhaseName } from './phase.js';
import type { PhaseGraph } from './phase-graph.js';

/** Time at the end of a phase in which a task ends by force what is stuck, and names it. @publicApi */
export const FORCE_MARGIN_MS = 100;

/** @publicApi */
export interface PhaseTimeOptions {
  /** The module or library that needs the time, for the warning. */
  declaredBy: string;
  /**
   * Sentences that end the warning when the application has set a shorter timeout: what is lost then, and which options
   * to change.
   */
  advice: string;
  /**
   * The most that the phase may take of the time that the other phases leave, decided when the shutdown begins. For waits
   * that are not worth a longer deadline. @default 0
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
  /** The longest that all registered tasks can take, as it stands now. */
  readonly totalMs: () => number;
  /** Whether the timeout of the phase can still be changed. */
  readonly isPending: (phase: string) => boolean;
}

/** The time that libraries need in a phase. What the application has set for a phase wins over all of it. */
export class PhaseTimes {
  readonly #reservations: Reservation[] = [];
  #hasBegun = false;

  constructor(private readonly context: PhaseTimesContext) {}

  reserve(phase: PhaseName, ms: number | (() => number), options: PhaseTimeOptions): void {
    const reservation: Reservation = { ...options, phase, ms };
    this.#reservations.push(reservation);
    this.#apply(reservation);
  }

  /** Asks again for what was reserved by a function, as far as phases have not begun. */
  update(): void {
    for (const reservation of this.#reservations) this.#apply(reservation);
  }

  /** The shutdown has begun: phases may grow into the time that the others leave, in the order of reservation. */
  begin(): void {
    this.#hasBegun = true;
    this.update();
  }

  /** One line per phase whose timeout the application has set too short. */
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
