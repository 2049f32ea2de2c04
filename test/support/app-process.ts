import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as after } from 'node:timers/promises';
import { join } from 'node:path';
import { ROOT } from './workspace.js';

export interface AppProcessOptions {
  /** Arguments of the program. */
  args?: string[];
  /** Arguments of node itself, such as `--import`. */
  nodeArgs?: string[];
  /** Variables in addition to the test's environment and `PORT: '0'`. */
  env?: Record<string, string>;
}

export interface AppResult {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** Time in ms before a test fails, far longer than any step takes. */
const DEADLINE_MS = 15_000;
const running = new Set<AppProcess>();

/** A Node program under test, by its built file: `apps/shop/dist/main.js`. */
export class AppProcess {
  /** All output so far. */
  output = '';
  /** Everything printed to stderr so far. */
  errors = '';
  readonly ended: Promise<AppResult>;
  readonly #exited: Promise<AppResult>;
  readonly #child: ChildProcess;
  #pauseMs = 0;
  #changed: () => void = () => undefined;
  #change!: Promise<void>;

  constructor(program: string, { args = [], nodeArgs = [], env: own = {} }: AppProcessOptions = {}) {
    const env = Object.fromEntries(Object.entries(process.env).filter(([key]) => key !== 'NODE_OPTIONS'));
    this.#child = spawn(process.execPath, [...nodeArgs, join(ROOT, program), ...args], {
      cwd: ROOT,
      env: { ...env, NO_COLOR: '1', PORT: '0', ...own },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    running.add(this);
    this.#renew();
    for (const stream of [this.#child.stdout!, this.#child.stderr!]) {
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        this.output += chunk;
        if (stream === this.#child.stderr) this.errors += chunk;
        this.#renew();
        if (this.#pauseMs === 0) return;
        stream.pause();
        setTimeout(() => stream.resume(), this.#pauseMs).unref();
      });
    }
    // Ignores errors of commands to a program that has just exited.
    this.#child.stdin!.on('error', () => undefined);
    this.#exited = new Promise((resolve) => {
      this.#child.once('exit', (code, signal) => {
        resolve({ code, signal });
        this.#renew();
      });
    });
    this.ended = new Promise((resolve, reject) => {
      this.#child.once('error', reject);
      this.#child.once('close', (code, signal) => {
        running.delete(this);
        resolve({ code, signal });
        this.#renew();
      });
    });
  }

  get pid(): number {
    return this.#child.pid!;
  }

  /** The matching lines printed so far, without the newline. */
  lines(pattern: RegExp): string[] {
    return this.output.split('\n').filter((line) => pattern.test(line));
  }

  /** Waits until a line matches and returns it. Fails when the program exits first. */
  async line(pattern: RegExp): Promise<string> {
    return this.#until(() => this.lines(pattern)[0], `a line like ${pattern}`);
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Writes a line to the program's stdin. */
  send(command: string): void {
    this.#child.stdin!.write(`${command}\n`);
  }

  /** From now on reads a piece of the output (at most 64 KiB) only at intervals. */
  readSlowly(pauseMs: number): void {
    this.#pauseMs = pauseMs;
  }

  /** Stops reading stdout. */
  closeOutput(): void {
    this.#child.stdout!.destroy();
  }

  /** Waits until the process has exited and its output has ended. */
  end(): Promise<AppResult> {
    return this.#result(this.ended);
  }

  /** Waits until the process has exited, even if some output is still unread. */
  exit(): Promise<AppResult> {
    return this.#result(this.#exited);
  }

  /** For `afterEach`: ends everything that a test has started. */
  static async killAll(): Promise<void> {
    const left = [...running];
    for (const app of left) {
      app.kill('SIGKILL');
      app.closeOutput();
    }
    await Promise.all(left.map((app) => app.ended));
  }

  async #result(promise: Promise<AppResult>): Promise<AppResult> {
    let result: AppResult | undefined;
    // Also needed after the process has exited, because nothing else would wake the waiters below.
    void promise.then((value) => {
      result = value;
      this.#renew();
    });
    return this.#until(() => result, 'its end', { mayEnd: true });
  }

  #renew(): void {
    this.#changed();
    this.#change = new Promise((resolve) => (this.#changed = resolve));
  }

  async #until<T>(found: () => T | undefined, what: string, { mayEnd = false } = {}): Promise<T> {
    const late = new AbortController();
    const timeout = after(DEADLINE_MS, 'late' as const, { signal: late.signal, ref: false }).catch(() => 'late');
    try {
      for (;;) {
        const value = found();
        if (value !== undefined) return value;
        const over = !running.has(this) && !mayEnd;
        if (over || (await Promise.race([this.#change, timeout])) === 'late') {
          const why = over ? 'the program ended' : `${DEADLINE_MS} ms passed`;
          throw new Error(`Waited for ${what}, but ${why}. Printed so far:\n${this.output}`);
        }
      }
    } finally {
      late.abort();
    }
  }
}

/** Whether a process with this id runs. A zombie counts as dead. */
export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return !existsSync(`/proc/${pid}/stat`) || !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
};
