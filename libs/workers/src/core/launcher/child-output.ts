import type { Readable } from 'node:stream';
import { type Clock, settlesWithin } from '@roost/time';
import { PrefixedOutput } from './prefixed-output.js';

/** A child that has ended may have left its output to a process that it started: that one is not waited for. */
const IDLE_MS = 200;
/** Who reads what we print may be slow. One that takes nothing for this long is taken for stuck. */
const STALLED_MS = 1_000;
/** For slow readers, and processes that go on printing. */
const LIMIT_MS = 10_000;

/** What a child prints, passed on with its name before each line. Without streams it prints for itself. */
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

  /** For when the child has ended: resolves when all that it has printed is passed on, or no more of it seems to come. */
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
