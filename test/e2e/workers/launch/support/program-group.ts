import { randomUUID } from 'node:crypto';
import { AppProcess, type AppResult } from '../../../../support/app-process.js';
import { ROOT } from '../../../../support/workspace.js';
import type { Command } from '../fixtures/plan.js';
import { signal } from './fleet-process.js';
import { type ProcessEntry, processesWith } from './processes.js';

const started: ProgramGroup[] = [];

/** A program in a process group of its own, as a shell starts it, with all the processes that come of it. */
export class ProgramGroup {
  readonly app: AppProcess;
  /** In the environment of the program and of whatever descends from it. */
  readonly #mark = `ROOST_E2E_GROUP=${randomUUID()}`;

  constructor(program: string, env: Record<string, string> = {}, args: string[] = []) {
    const [name, value] = this.#mark.split('=') as [string, string];
    const order: Command = {
      command: process.execPath,
      args: [`${ROOT}/${program}`, ...args],
      env: { ...env, [name]: value },
    };
    this.app = new AppProcess('.tsout/test/e2e/workers/launch/fixtures/in-own-group.js', {
      args: [JSON.stringify(order)],
    });
    started.push(this);
  }

  /** For `afterEach`: nothing a test has started survives it. */
  static async killAll(): Promise<void> {
    for (const group of started.splice(0)) for (const { pid } of group.processes()) signal(pid, 'SIGKILL');
    await AppProcess.killAll();
  }

  /** Of the program itself. */
  async pid(): Promise<number> {
    return Number((await this.app.line(/^started /)).slice('started '.length));
  }

  /** To the program only. */
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

  /** Waits for the end of the program. Then nobody may be left. */
  async end(): Promise<AppResult> {
    const result = await this.app.exit();
    expect(this.processes()).toEqual([]);
    await this.app.end();
    return result;
  }
}
