import { randomUUID } from 'node:crypto';
import type { FleetStatus } from '@roost/workers/core';
import { AppProcess, type AppResult } from '../../../../support/app-process.js';
import { ROOT } from '../../../../support/workspace.js';
import type { Command, Plan } from '../fixtures/plan.js';
import { childrenOf, type ProcessEntry, processesWith } from './processes.js';
import { until } from '../../../../support/until.js';

/** Where `tsc -b` puts the programs of this folder. */
export const FIXTURES = '.tsout/test/e2e/workers/launch/fixtures';

export interface FleetProcessOptions {
  env?: Record<string, string>;
  /** Arguments of node itself. */
  nodeArgs?: string[];
  /** What to put in front: `['unshare', '--pid']`. */
  wrapper?: string[];
}

const started: FleetProcess[] = [];

/** A launcher in a process group of its own, with all that comes of it. */
export class FleetProcess {
  readonly app: AppProcess;
  /** In the environment of the launcher and of whatever descends from it. */
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

  /** Starts it and waits until every child is up. */
  static async up(plan: Plan, options?: FleetProcessOptions): Promise<FleetProcess> {
    const fleet = new FleetProcess(plan, options);
    await fleet.line(/^all up$/);
    return fleet;
  }

  /** For `afterEach`: nothing a test has started survives it. */
  static async killAll(): Promise<void> {
    for (const fleet of started.splice(0)) for (const { pid } of fleet.processes()) signal(pid, 'SIGKILL');
    await AppProcess.killAll();
  }

  get output(): string {
    return this.app.output;
  }

  /** Of the launcher, or of the wrapper around it. */
  async pid(): Promise<number> {
    this.#pid ||= Number((await this.line(/^started /)).slice(8));
    return this.#pid;
  }

  /** Sends a signal to the launcher only. */
  async kill(name: NodeJS.Signals): Promise<void> {
    signal(await this.pid(), name);
  }

  /** As a terminal does on Ctrl+C: to everybody. */
  async killGroup(name: NodeJS.Signals): Promise<void> {
    signal(-(await this.pid()), name);
  }

  line(pattern: RegExp): Promise<string> {
    return this.app.line(pattern);
  }

  lines(pattern: RegExp): string[] {
    return this.app.lines(pattern);
  }

  /** Waits until so many lines match. */
  async count(pattern: RegExp, count: number): Promise<void> {
    await until(`${count} lines like ${pattern}`, () => this.lines(pattern).length >= count);
  }

  /** Waits for a line that was not there at the time of the call. */
  async next(pattern: RegExp): Promise<string> {
    const before = this.lines(pattern).length;
    return until(`another line like ${pattern}`, () => this.lines(pattern)[before]);
  }

  async status(): Promise<FleetStatus> {
    const line = this.next(/^status /);
    this.app.send('status');
    return JSON.parse((await line).slice(7)) as FleetStatus;
  }

  /** The port that an HTTP worker has said it listens on. */
  async port(): Promise<number> {
    return Number(/\d+$/.exec(await this.line(/listening on \d+$/))![0]);
  }

  /** The pids by name, of those that are there. */
  async pids(): Promise<Map<string, number>> {
    const { children } = await this.status();
    return new Map(children.filter(({ pid }) => pid).map(({ name, pid }) => [name, pid!]));
  }

  /** Everybody: the launcher, its children and theirs, also when their parent is gone. */
  processes(): ProcessEntry[] {
    return processesWith(this.#mark);
  }

  /** Direct children of the launcher that are dead, and of which it has not taken notice. */
  async zombies(): Promise<ProcessEntry[]> {
    return childrenOf(await this.pid()).filter(({ state }) => state === 'Z');
  }

  /** Waits for the end of the launcher. Then nobody may be left. */
  async end(): Promise<AppResult> {
    const result = await this.app.exit();
    expect(this.processes()).toEqual([]);
    await this.app.end();
    return result;
  }

  /** As `end`, for children that are killed and take a moment to be gone. */
  async endSoon(): Promise<AppResult> {
    const result = await this.app.exit();
    await this.gone();
    return result;
  }

  /** Waits until nobody is left. */
  async gone(): Promise<void> {
    await until('the end of all processes', () => this.processes().length === 0);
  }
}

export const CLEAN: AppResult = { code: 0, signal: null };
export const FAILED: AppResult = { code: 1, signal: null };

/** To a process, or to a group if negative. One that is gone is no error. */
export const signal = (pid: number, name: NodeJS.Signals): void => {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
};
