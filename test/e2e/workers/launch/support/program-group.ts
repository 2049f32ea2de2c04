import { randomUUID } from 'node:crypto';
import { AppProcess, type AppResult } from '../../../../support/app-process.js';
import { ROOT } from '../../../../support/workspace.js';
import type { Command } from '../fixtures/plan.js';
import { signal } from './fleet-process.js';
import { type ProcessEntry, processesWith } from './processes.js';

const started: ProgramGroup[] = [];

/** A program in its own process group, as started by a shell, with all its descendants. */
export class ProgramGroup {
  readonly app: AppProcess;
  /** Marks the program and all its descendants in their environment. */
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

  /** For `afterEach`: ends everything that a test has started. */
  static async killAll(): Promise<void> {
    for (const group of started.splice(0)) for (const { pid } of group.processes()) signal(pid, 'SIGKILL');
    await AppProcess.killAll();
  }

  /** Pid of the program itself. */
  async pid(): Promise<number> {
    return Number((await this.app.line(/^started /)).slice('started '.length));
  }

  /** Sends a signal to the program only. */
  async kill(name: NodeJS.Signals): Promise<void> {
    signal(await this.pid(), name);
  }

  /** Sends a signal to the whole group, as a terminal does on Ctrl+C. */
  async killGroup(name: NodeJS.Signals): Promise<void> {
    signal(-(await this.pid()), name);
  }

  /** All processes, even if their parent has exited. */
  processes(): ProcessEntry[] {
    return processesWith(this.#mark);
  }

  /** Waits until the program exits. No process may remain then. */
  async end(): Promise<AppResult> {
    const result = await this.app.exit();
    expect(this.processes()).toEqual([]);
    await this.app.end();
    return result;
  }
}
