import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as after } from 'node:timers/promises';
import { AppProcess, type AppResult } from './app-process.js';
import type { DocsSurroundings } from './docs-preload.js';
import { PRELOAD } from './docs-programs.js';

/** Time to work before the program is stopped: loops turn, timers fire. */
const WORK_MS = 300;
/** A shutdown of an example has little to wait for, except a lame-duck period of 5 s. */
const MAX_STOP_MS = 8_000;

/** Lines that a reader who runs the example would have to explain. */
const COMPLAINT = /\b(WARN|ERROR|FATAL)\b|^\(node:\d+\)|\bError:/;

export interface Outcome extends AppResult {
  complaints: string[];
  isStoppedInTime: boolean;
}

/** Options of the shutdown of a program, if its `app` has one. */
export interface UpReport {
  timeoutMs?: number;
  gracePeriodMs?: number;
}

export const CLEAN: Outcome = { code: 0, signal: null, complaints: [], isStoppedInTime: true };

export class DocsProcess {
  readonly app: AppProcess;

  constructor(program: string, surroundings: DocsSurroundings, env: Record<string, string> = {}) {
    const more = { NODE_OPTIONS: `--import ${PRELOAD}`, DOCS_RUN: JSON.stringify(surroundings) };
    this.app = new AppProcess(program, { env: { ...more, ...env } });
  }

  /** Waits until the program has run its last line. */
  async up(): Promise<UpReport> {
    const line = await this.app.line(new RegExp(`^\\[docs-run\\] ${this.app.pid} is up`));
    return JSON.parse(line.slice(line.indexOf('{'))) as UpReport;
  }

  /** Waits until it is up, lets it work for a moment, sends SIGTERM if it is still there, and waits for its end. */
  async run(): Promise<Outcome> {
    const problem = await this.up().then(
      () => [],
      (error: Error) => [error.message],
    );
    await Promise.race([this.app.ended, after(problem.length === 0 ? WORK_MS : 0)]);
    const outcome = await this.stop();
    return { ...outcome, complaints: [...outcome.complaints, ...problem] };
  }

  /** Sends SIGTERM and waits for the end. A program that does not end is killed. */
  async stop(): Promise<Outcome> {
    this.app.kill('SIGTERM');
    const isStoppedInTime = await Promise.race([
      this.app.ended.then(() => true),
      after(MAX_STOP_MS, false, { ref: false }),
    ]);
    if (!isStoppedInTime) this.app.kill('SIGKILL');
    const { code, signal } = await this.app.end();
    const [, own] = new RegExp(`^\\[docs-run\\] ${this.app.pid} ends with (\\d+)$`, 'm').exec(this.app.output) ?? [];
    const result = own === undefined ? { code, signal } : { code: Number(own), signal: null };
    return { ...result, complaints: this.complaints(), isStoppedInTime };
  }

  complaints(): string[] {
    const errors = this.app.errors.split('\n').filter((line) => line.trim() !== '');
    return [...new Set([...errors, ...this.app.lines(COMPLAINT)])];
  }
}

/**
 * Waits until the processes of one graph are up and a result has reached its end. A process that is stopped earlier may
 * exit before the others have joined, and then counts as lost.
 */
export async function atWork(processes: DocsProcess[]): Promise<void> {
  await Promise.all(processes.map((one) => one.up()));
  await Promise.any(processes.map(({ app }) => app.line(/\[book\].* (booked|refused)/)));
}

/** The hosts that examples send requests to: every request is answered with 200. */
export async function startInternalHosts(): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer((_request, response) => response.end('{}'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}
