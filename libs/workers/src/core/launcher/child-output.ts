import type { Readable } from 'node:stream';
import { type Clock, settlesWithin } from '@roost/time';
import { PrefixedOutput } from './prefixed-output.js';

/**
 * A process started by the child may keep the output open after the child has exited. After this idle time in ms, the
 * launcher stops waiting for it.
 */
const IDLE_MS = 200;
/** The reader of the primary's output may be slow. After this time in ms without progress it counts as stuck. */
const STALLED_MS = 1_000;
/** Overall limit in ms, for slow readers and processes that keep printing. */
const LIMIT_MS = 10_000;

/** Passes on the output of a child, with its name before each line. Without streams the child prints directly. */
export class ChildOutput {
  readonly #outputs: PrefixedOutput[] = [];
  readonly #errors: PrefixedOutput | undefined;

  constructor(
    name: string,
    { stdout, stderr }: { stdout?: Readable | null; stderr?: Readable | null },
    private readonly clock: Clock,
  ) {
    if (stdout) this.#outputs.push(new PrefixedOutput(stdout, process.stdout, `[${name}] `));
    if (stderr) this.#outputs.push((this.#errors = new PrefixedOutput(stderr, process.stderr, `[${name}] `)));
  }

  get lastErrors(): string | undefined {
    return this.#errors?.lastLines;
  }

  /**
   * Call it when the child has exited. Resolves when all output has been passed on, or after a while without new
   * output.
   */
  async whenPassedOn(): Promise<void> {
    const closed = Promise.all(this.#outputs.map(({ whenClosed }) => whenClosed));
    const startedAt = this.clock.monotonic();
    for (;;) {
      const before = this.#moves;
      const isHeldUp = this.#outputs.some((output) => output.isHeldUp);
      if (await settlesWithin(closed, isHeldUp ? STALLED_MS : IDLE_MS, this.clock)) return;
      if (this.#moves === before || this.clock.monotonic() - startedAt >= LIMIT_MS) return;
    }
  }

  get #moves(): number {
    return this.#outputs.reduce((sum, { moves }) => sum + moves, 0);
  }
}
