const POLL_MS = 100;

/** Behaves like a load balancer: polls the readiness of each server, and therefore learns of changes a little later. */
export class ReadyOnes {
  #watched: string[] = [];
  #ready: string[] = [];
  #turn = 0;
  readonly #timer = setInterval(() => void this.#look(), POLL_MS);

  watch(urls: string[]): void {
    this.#watched = urls;
    this.#ready = this.#ready.filter((url) => urls.includes(url));
  }

  get count(): number {
    return this.#ready.length;
  }

  /** Returns the ready servers in turn. */
  next(): string {
    return this.#ready[this.#turn++ % this.#ready.length] ?? this.#watched[0]!;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async #look(): Promise<void> {
    const asked = this.#watched;
    const answers = await Promise.all(asked.map(isReady));
    if (asked === this.#watched) this.#ready = asked.filter((_, index) => answers[index]);
  }
}

export const isReady = async (url: string): Promise<boolean> =>
  (await fetch(`${url}/health/ready`).catch(() => undefined))?.status === 200;
