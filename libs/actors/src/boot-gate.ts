/** Opens when the application has been initialised; until then no actor class is instantiated. */
export class Gate {
  isOpen = false;
  #settle!: (open: boolean) => void;
  /** False when it will never open, because the application ends before that. */
  readonly opened = new Promise<boolean>((resolve) => (this.#settle = resolve));
  #cancelled = false;

  open(): void {
    if (this.#cancelled) return;
    this.isOpen = true;
    this.#settle(true);
  }

  /** Lets who waits in front of it go. Without effect once it is open. */
  cancel(): void {
    this.#cancelled = !this.isOpen;
    this.#settle(false);
  }
}
