import type { WorkInFlight } from './work.js';

/**
 * A component that accepts work from outside, such as an HTTP server or a message transport. The drain calls each
 * method at most once, in the order below, and may skip some when a shutdown is cut short. Add a target with
 * `Drain.addTarget()`.
 *
 * @example
 * ```ts
 * import type { DrainTarget, WorkInFlight } from '@roost/drain';
 *
 * class QueueTarget implements DrainTarget {
 *   constructor(private readonly queue: { pause(): Promise<void>; close(): Promise<void> }) {}
 *
 *   announce(): void {}
 *   shed(): Promise<void> {
 *     return this.queue.pause();
 *   }
 *   async settle(): Promise<void> {}
 *   close(): Promise<void> {
 *     return this.queue.close();
 *   }
 *   force(): void {}
 *   inFlight(): WorkInFlight[] {
 *     return [];
 *   }
 * }
 * ```
 *
 * @publicApi
 */
export interface DrainTarget {
  /** Called when a shutdown begins. The target still accepts work, but asks its clients to use another instance. */
  announce(): void;
  /** Stops accepting new work. Resolves when no more work can arrive. */
  shed(): Promise<void>;
  /**
   * Called instead of `shed` when another process accepts new work from now on. The target leaves new connections to
   * that process and still serves the open ones.
   *
   * @default `shed`
   */
  handOver?(): Promise<void>;
  /** Called when all accepted work has been answered. Waits briefly for data that may still be on the wire. */
  settle(): Promise<void>;
  /** Closes connections and listeners. */
  close(): Promise<void>;
  /** Ends in-flight work at the deadline. */
  force(): void;
  /** Lists the in-flight work, oldest first. */
  inFlight(): WorkInFlight[];
}
