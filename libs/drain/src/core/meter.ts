import { Subject } from 'rxjs';

/** Counts the work of all targets of one application. */
export class Meter {
  inFlight = 0;
  /** Requests and messages accepted since startup. */
  admitted = 0;
  /** Requests and messages refused since the drain began. */
  shed = 0;
  /** Requests and messages cut off at the deadline. */
  forced = 0;
  readonly #changes = new Subject<number>();
  #onIdle: (() => void) | undefined;
  #idle: Promise<void> | undefined;

  readonly changes$ = this.#changes.asObservable();

  began(): void {
    this.inFlight++;
    this.admitted++;
    if (this.#changes.observed) this.#changes.next(this.inFlight);
  }

  ended(): void {
    this.inFlight--;
    if (this.#changes.observed) this.#changes.next(this.inFlight);
    if (this.inFlight === 0 && this.#onIdle) {
      this.#onIdle();
      this.#onIdle = this.#idle = undefined;
    }
  }

  /** Resolves when nothing is in flight. */
  whenIdle(): Promise<void> {
    if (this.inFlight === 0) return Promise.resolve();
    this.#idle ??= new Promise((resolve) => (this.#onIdle = resolve));
    return this.#idle;
  }
}
