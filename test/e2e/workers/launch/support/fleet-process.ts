import { randomUUID } from 'node:crypto';
import type { FleetStatus } from '@roost/workers/core';
import { AppProcess, type AppResult } from '../../../../support/app-process.js';
import { ROOT } from '../../../../support/workspace.js';
import type { Command, Plan } from '../fixtures/plan.js';
import { childrenOf, type ProcessEntry, processesWith } from './processes.js';
import { until } from '../../../../support/until.js';

/** Output folder of `tsc -b` for the programs of this folder. */
export const FIXTURES = '.tsout/test/e2e/workers/launch/fixtures';

export interface FleetProcessOptions {
  env?: Record<string, string>;
  /** Arguments of node itself. */
  nodeArgs?: string[];
  /** Command prefix, such as `['unshare', '--pid']`. */
  wrapper?: string[];
}

const started: FleetProcess[] = [];

/** A launcher in its own process group, with all its descendants. */
export class FleetProcess {
  readonly app: AppProcess;
  /** Marks the launcher and all its descendants in their environment. */
  readonly #mark = `ROOST_E2E_FLEET=${randomUUID()}`;
  #pid = 0;

  constructor(plan: Plan, { env = {}, nodeArgs = [], wrapper = [] }: FleetProcessOptions = {}) {
    const node = [process.execPath, ...nodeArgs, `${ROOT}/${FIXTURES}/main.js`, JSON.stringify(plan)];
    const [command = '', ...args] = [...wrapper, ...node];
    const [name, value] = this.#mark.split('=') as [string, string];
    const order: Command = { command, args, env: { ...env, [name]: value } };
    this.app = new AppProcess(`${FIXTURES}/in-own-group.js`, { args: [JSON.stringify(order)] });
    started.push(this);
  }

  /** Starts the launcher and waits until every child is up. */
  static async up(plan: Plan, options?: FleetProcessOptions): Promise<FleetProcess> {
    const fleet = new FleetProcess(plan, options);
    await fleet.line(/^all up$/);
    return fleet;
  }

  /** For `afterEach`: ends everything that a test has started. */
  static async killAll(): Promise<void> {
    for (const fleet of started.splice(0)) for (const { pid } of fleet.processes()) signal(pid, 'SIGKILL');
    await AppProcess.killAll();
  }

  get output(): string {
    return this.app.output;
  }

  /** Pid of the launcher, or of the wrapper around it. */
  async pid(): Promise<number> {
    this.#pid ||= Number((await this.line(/^started /)).slice(8));
    return this.#pid;
  }

  /** Sends a signal to the launcher only. */
  async kill(name: NodeJS.Signals): Promise<void> {
    signal(await this.pid(), name);
  }

  /** Sends a signal to the whole group, as a terminal does on Ctrl+C. */
  async killGroup(name: NodeJS.Signals): Promise<void> {
    signal(-(await this.pid()), name);
  }

  line(pattern: RegExp): Promise<string> {
    return this.app.line(pattern);
  }

  lines(pattern: RegExp): string[] {
    return this.app.lines(pattern);
  }

  /** Waits until this many lines match. */
  async count(pattern: RegExp, count: number): Promise<void> {
    await until(`${count} lines like ${pattern}`, () => this.lines(pattern).length >= count);
  }

  /** Waits for a line that is printed after the call. */
  async next(pattern: RegExp): Promise<string> {
    const before = this.lines(pattern).length;
    return until(`another line like ${pattern}`, () => this.lines(pattern)[before]);
  }

  async status(): Promise<FleetStatus> {
    const line = this.next(/^status /);
    this.app.send('status');
    return JSON.parse((await line).slice(7)) as FleetStatus;
  }

  /** The port that an HTTP worker has printed. */
  async port(): Promise<number> {
    return Number(/\d+$/.exec(await this.line(/listening on \d+$/))![0]);
  }

  /** The pids of the living children, by name. */
  async pids(): Promise<Map<string, number>> {
    const { children } = await this.status();
    return new Map(children.filter(({ pid }) => pid).map(({ name, pid }) => [name, pid!]));
  }

  /** All processes: the launcher, its children and theirs, even if their parent has exited. */
  processes(): ProcessEntry[] {
    return processesWith(this.#mark);
  }

  /** Direct children of the launcher that have exited but have not been reaped. */
  async zombies(): Promise<ProcessEntry[]> {
    return childrenOf(await this.pid()).filter(({ state }) => state === 'Z');
  }

  /** Waits until the launcher exits. No process may remain then. */
  async end(): Promise<AppResult> {
    const result = await this.app.exit();
    expect(this.processes()).toEqual([]);
    await this.app.end();
    return result;
  }

  /** Like `end`, for killed children that take a moment to exit. */
  async endSoon(): Promise<AppResult> {
    const result = await this.app.exit();
    await this.gone();
    return result;
  }

  /** Waits until no process remains. */
  async gone(): Promise<void> {
    await until('the end of all processes', () => this.processes().length === 0);
  }
}

export const CLEAN: AppResult = { code: 0, signal: null };
export const FAILED: AppResult = { code: 1, signal: null };

/** Signals a process, or a group if the pid is negative. A missing process is not an error. */
export const signal = (pid: number, name: NodeJS.Signals): void => {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
};
