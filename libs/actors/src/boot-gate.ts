import { deferred } from '@roost/kernel';

/** Opens when the application is initialized. No actor class is instantiated before that. */
export class BootGate {
  isOpen = false;
  readonly #settled = deferred<boolean>();
  #cancelled = false;

  /** Resolves with true when the gate opens, or with false if the application stops first. */
  get opened(): Promise<boolean> {
    return this.#settled.promise;
  }

  open(): void {
    if (this.#cancelled) return;
    this.isOpen = true;
    this.#settled.resolve(true);
  }

  /** Releases the actors that wait for the gate. Does nothing once the gate is open. */
  cancel(): void {
    this.#cancelled = !this.isOpen;
    this.#settled.resolve(false);
  }
}
