/** Those who wait until a frame is received. */
export class Receipts {
  #waiting: { readonly seq: number; readonly resolve: (isReceived: boolean) => void }[] = [];

  /** True when the frame is acknowledged, false when it never will be. */
  of(seq: number): Promise<boolean> {
    return new Promise((resolve) => this.#waiting.push({ seq, resolve }));
  }

  acknowledged(through: number): void {
    // They wait in the order of their frames.
    let count = 0;
    while (count < this.#waiting.length && this.#waiting[count]!.seq <= through) count++;
    if (count > 0) for (const { resolve } of this.#waiting.splice(0, count)) resolve(true);
  }

  giveUp(): void {
    for (const { resolve } of this.#waiting.splice(0)) resolve(false);
  }
}
