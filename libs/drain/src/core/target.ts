import type { WorkInFlight } from './work.js';

/**
 * Something that takes work from outside: an HTTP server, a message transport. The methods are called in this order,
 * each once, and some may be left out when a shutdown is cut short.
 */
export interface DrainTarget {
  /** A shutdown has begun: still take work, but tell the clients to go elsewhere. */
  announce(): void;
  /** From now on take no new work. Resolves when no more can come in by itself. */
  shed(): Promise<void>;
  /**
   * Instead of `shed`, when another process takes new work from now on: leave new connections to it, and still serve those
   * that are open. @default `shed`
   */
  handOver?(): Promise<void>;
  /** Everything taken has been answered: wait, shortly, for what may still be on the wire. */
  settle(): Promise<void>;
  /** Close connections and listeners. */
  close(): Promise<void>;
  /** The time is up: end what is in flight. */
  force(): void;
  /** What is in flight, oldest first. */
  inFlight(): WorkInFlight[];
}
