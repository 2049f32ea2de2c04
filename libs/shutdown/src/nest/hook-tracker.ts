import { isThenable, override } from '@roost/kernel';
import { type Clock, formatDuration } from '@roost/time';
import { errorReport, type TaskReport } from '../core/report.js';
import { NEST_SHUTDOWN_HOOKS } from '../shutdown.constants.js';

type Hooked = Partial<Record<(typeof NEST_SHUTDOWN_HOOKS)[number], (...args: unknown[]) => unknown>>;

/**
 * Tracks Nest's own shutdown hooks, so that a hook that hangs can be named and a hook that throws affects the exit code
 * (Nest only logs it). Wraps the hooks of live instances shortly before Nest calls them.
 */
export class HookTracker {
  readonly #running = new Map<string, number>();
  readonly #ended: TaskReport[] = [];
  readonly #watched = new WeakSet<object>();

  constructor(private readonly clock: Clock) {}

  /** Does nothing for an instance that is already tracked, because two providers may share one. */
  watch(instance: object, className: string): void {
    if (this.#watched.has(instance)) return;
    this.#watched.add(instance);
    for (const hook of NEST_SHUTDOWN_HOOKS) {
      try {
        const fallback = (instance as Hooked)[hook];
        if (typeof fallback !== 'function') continue;
        const watched =
          (original: typeof fallback) =>
          (...args: unknown[]) =>
            this.#call(`${className}.${hook}`, () => original.apply(instance, args));
        override(instance as Hooked, hook, 'CoordinatedShutdownModule', watched, { fallback });
      } catch {
        // A frozen instance, or a proxy that refuses to be read. Its hook still runs, without a name in the report.
      }
    }
  }

  pending(): string[] {
    return [...this.#running].map(([name, since]) => `${name} (${formatDuration(this.clock.monotonic() - since)})`);
  }

  reports(cutOff: boolean): TaskReport[] {
    if (!cutOff) return [...this.#ended];
    const cut = [...this.#running].map(([name, since]): TaskReport => {
      const error = { code: 'SHUTDOWN_HOOK_TIMEOUT', message: `${name} was still running at the overall deadline.` };
      return { name, status: 'timed-out', durationMs: this.clock.monotonic() - since, error };
    });
    return [...this.#ended, ...cut];
  }

  #call(name: string, hook: () => unknown): unknown {
    let unique = name;
    for (let n = 2; this.#running.has(unique); n++) unique = `${name}#${n}`;
    const since = this.clock.monotonic();
    this.#running.set(unique, since);
    const end = (failure?: { error: unknown }): void => {
      this.#running.delete(unique);
      const durationMs = this.clock.monotonic() - since;
      this.#ended.push(
        failure
          ? { name, status: 'failed', durationMs, error: errorReport(failure.error) }
          : { name, status: 'completed', durationMs },
      );
    };
    try {
      const result = hook();
      if (!isThenable(result)) {
        end();
        return result;
      }
      // Returned in place of the result, because some thenables (query builders) run again each time they are awaited.
      const settled = Promise.resolve(result);
      settled.then(
        () => end(),
        (error: unknown) => end({ error }),
      );
      return settled;
    } catch (error) {
      end({ error });
      throw error;
    }
  }
}
