import { deferred } from '@roost/kernel';

/** Opens when the application has been initialised; until then no actor class is instantiated. */
export class BootGate {
  isOpen = false;
  readonly #settled = deferred<boolean>();
  #cancelled = false;

  /** Resolves with false when the gate never opens, because the application stops before. */
  get opened(): Promise<boolean> {
    return this.#settled.promise;
  }

  open(): void {
    if (this.#cancelled) return;
    this.isOpen = true;
    this.#settled.resolve(true);
  }

  /** Releases the actors that wait for it. Without effect once it is open. */
  cancel(): void {
    this.#cancelled = !this.isOpen;
    this.#settled.resolve(false);
  }
}
