/** @publicApi */
export interface ThrottleOptions {
  readonly messages: number;
  readonly perMs: number;
}

/** Lets at most `messages` pass in any period of `perMs`, wherever the period begins. */
export class Throttle {
  private readonly times: Float64Array;
  private oldest = 0;

  constructor(private readonly options: ThrottleOptions) {
    this.times = new Float64Array(options.messages).fill(-Infinity);
  }

  /** 0 when one may pass now, which is then taken note of; otherwise how many ms until one may. */
  admit(now: number): number {
    const waitMs = this.times[this.oldest]! + this.options.perMs - now;
    if (waitMs > 0) return waitMs;
    this.times[this.oldest] = now;
    this.oldest = (this.oldest + 1) % this.times.length;
    return 0;
  }
}
