import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as after } from 'node:timers/promises';

/** Far longer than needed, even for `npm ci` on a slow connection. */
const DEADLINE_MS = 240_000;
const POLL_MS = 20;
const open = new Set<Terminal>();

/** Runs a command as an interactive shell does: in its own process group, all of which receives Ctrl+C. */
export class Terminal {
  /** All output so far. */
  output = '';
  readonly #child: ChildProcess;
  #result: { code: number | null; signal: NodeJS.Signals | null } | undefined;

  constructor([program = '', ...args]: readonly string[], cwd: string, env: Record<string, string> = {}) {
    // Removes settings of the npm and jest that run this test, which a terminal would not have.
    const inherited = Object.entries(process.env).filter(([key]) => key !== 'NODE_OPTIONS' && !key.startsWith('npm_'));
    this.#child = spawn(program, args, {
      cwd,
      env: { ...Object.fromEntries(inherited), NO_COLOR: '1', ...env },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    open.add(this);
    for (const stream of [this.#child.stdout!, this.#child.stderr!]) {
      stream.setEncoding('utf8').on('data', (chunk: string) => (this.output += chunk));
    }
    this.#child.once('close', (code, signal) => {
      open.delete(this);
      this.#result = { code, signal };
    });
  }

  /** Runs a command until it exits. Throws if the exit code is not 0. */
  static async run(words: readonly string[], cwd: string): Promise<string> {
    const terminal = new Terminal(words, cwd);
    const { code } = await terminal.end();
    if (code !== 0) throw new Error(`"${words.join(' ')}" exited with ${code}. Output:\n${terminal.output}`);
    return terminal.output;
  }

  /** Returns the first match of the pattern in the output. */
  until(pattern: RegExp): Promise<RegExpExecArray> {
    return this.#poll(() => pattern.exec(this.output) ?? undefined, `${pattern}`);
  }

  end(): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
    return this.#poll(() => this.#result, 'its end');
  }

  ctrlC(): void {
    process.kill(-this.#child.pid!, 'SIGINT');
  }

  /** For `afterEach`: ends everything that a test has started. */
  static closeAll(): void {
    for (const terminal of open) process.kill(-terminal.#child.pid!, 'SIGKILL');
  }

  async #poll<T>(find: () => T | undefined, what: string): Promise<T> {
    const deadline = performance.now() + DEADLINE_MS;
    for (;;) {
      const found = find();
      if (found !== undefined) return found;
      if (performance.now() > deadline || (this.#result && what !== 'its end')) {
        throw new Error(`Timed out waiting for ${what}. Output so far:\n${this.output}`);
      }
      await after(POLL_MS);
    }
  }
}
