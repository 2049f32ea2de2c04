import type { Lease } from './run-token.js';

/** A lease that is held until it is released. */
export class HeldLease implements Lease {
  constructor(
    readonly name: string,
    readonly heldSince: number,
    /** May be called more than once. */
    private readonly onRelease: (lease: HeldLease) => void,
  ) {}

  release(): void {
    this.onRelease(this);
  }

  [Symbol.dispose](): void {
    this.release();
  }
}
