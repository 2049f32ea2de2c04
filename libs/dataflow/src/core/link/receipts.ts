/** Callers that wait until a frame has been received. */
export class Receipts {
  #waiting: { readonly seq: number; readonly resolve: (isReceived: boolean) => void }[] = [];

  /** Resolves with true when the frame is acknowledged, and with false if it never will be. */
  of(seq: number): Promise<boolean> {
    return new Promise((resolve) => this.#waiting.push({ seq, resolve }));
  }

  acknowledged(through: number): void {
    // Callers wait in the order of their frames.
    let count = 0;
    while (count < this.#waiting.length && this.#waiting[count]!.seq <= through) count++;
    if (count > 0) for (const { resolve } of this.#waiting.splice(0, count)) resolve(true);
  }

  giveUp(): void {
    for (const { resolve } of this.#waiting.splice(0)) resolve(false);
  }
}
