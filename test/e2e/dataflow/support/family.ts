import { until } from '../../../support/until.js';
import { ProgramGroup } from '../../workers/launch/support/program-group.js';
import type { Plan } from '../fixtures/plan.js';
import { FIXTURES, reportIn, type RunReport, stopsIn } from './printed.js';

/** A launched graph: the first process and all processes that it starts. */
export class Family extends ProgramGroup {
  constructor(plan: Plan, env?: Record<string, string>) {
    super(`${FIXTURES}/launched.js`, env, [JSON.stringify(plan)]);
  }

  /** Starts the program, and waits until numbers arrive at the sink. */
  static async running(plan: Plan, env?: Record<string, string>): Promise<Family> {
    const family = new Family(plan, env);
    await family.app.line(/^got 10$/);
    return family;
  }

  get output(): string {
    return this.app.output;
  }

  /** Returns the pid of the process in which a node has started. */
  pidOf(node: string): number {
    return Number(new RegExp(`^start ${node} in (\\d+)$`, 'm').exec(this.output)![1]);
  }

  /** Waits until all processes have exited. */
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
