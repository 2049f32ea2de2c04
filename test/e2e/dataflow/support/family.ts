import { randomUUID } from 'node:crypto';
import { AppProcess, type AppResult } from '../../../support/app-process.js';
import { ROOT } from '../../../support/workspace.js';
import type { Command } from '../../workers/launch/fixtures/plan.js';
import { signal } from '../../workers/launch/support/fleet-process.js';
import { type ProcessEntry, processesWith } from '../../workers/launch/support/processes.js';
import { until } from '../../../support/until.js';
import type { Plan } from '../fixtures/plan.js';
import { FIXTURES, reportIn, type RunReport, stopsIn } from './printed.js';

const started: Family[] = [];

/** A launched graph: the first process, in a process group of its own, and all that comes of it. */
export class Family {
  readonly app: AppProcess;
  /** In the environment of the first process and of whatever descends from it. */
  readonly #mark = `ROOST_E2E_FAMILY=${randomUUID()}`;

  constructor(plan: Plan, env: Record<string, string> = {}) {
    const [name, value] = this.#mark.split('=') as [string, string];
    const order: Command = {
      command: process.execPath,
      args: [`${ROOT}/${FIXTURES}/launched.js`, JSON.stringify(plan)],
      env: { ...env, [name]: value },
    };
    this.app = new AppProcess('.tsout/test/e2e/workers/launch/fixtures/in-own-group.js', {
      args: [JSON.stringify(order)],
    });
    started.push(this);
  }

  /** Starts it and waits until numbers arrive at the sink. */
  static async running(plan: Plan, env?: Record<string, string>): Promise<Family> {
    const family = new Family(plan, env);
    await family.app.line(/^got 10$/);
    return family;
  }

  /** For `afterEach`: nothing a test has started survives it. */
  static async killAll(): Promise<void> {
    for (const family of started.splice(0)) for (const { pid } of family.processes()) signal(pid, 'SIGKILL');
    await AppProcess.killAll();
  }

  get output(): string {
    return this.app.output;
  }

  /** Of the first process. */
  async pid(): Promise<number> {
    return Number((await this.app.line(/^started /)).slice(8));
  }

  /** Of the process in which a node has begun. */
  pidOf(node: string): number {
    return Number(new RegExp(`^start ${node} in (\\d+)$`, 'm').exec(this.output)![1]);
  }

  /** To the first process only. */
  async kill(name: NodeJS.Signals): Promise<void> {
    signal(await this.pid(), name);
  }

  /** As a terminal does on Ctrl+C: to everybody. */
  async killGroup(name: NodeJS.Signals): Promise<void> {
    signal(-(await this.pid()), name);
  }

  /** Everybody, also when their parent is gone. */
  processes(): ProcessEntry[] {
    return processesWith(this.#mark);
  }

  /** Waits for the end of the first process. Then nobody may be left. */
  async end(): Promise<AppResult> {
    const result = await this.app.exit();
    expect(this.processes()).toEqual([]);
    await this.app.end();
    return result;
  }

  /** Waits until nobody is left. */
  async gone(): Promise<void> {
    await until('the end of all processes', () => this.processes().length === 0);
  }

  report(): RunReport {
    return reportIn(this.app);
  }

  stops(): ReturnType<typeof stopsIn> {
    return stopsIn(this.output);
  }
}
