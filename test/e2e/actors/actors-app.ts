import { AppProcess } from '../../support/app-process.js';
import { get } from '../../support/http-client.js';
import type { Plan } from './fixtures/plan.js';

/** Counts that the program prints when it exits. */
export interface Counts {
  sent: number;
  handled: number;
  dead: number;
  started: number;
  stopped: number;
  /** Messages handled after the database was closed. */
  afterClose: number;
}

/** A run of the fixture program, observed from outside. */
export class ActorsApp {
  readonly process: AppProcess;

  constructor(plan: Plan) {
    this.process = new AppProcess('.tsout/test/e2e/actors/fixtures/app.js', { args: [JSON.stringify(plan)] });
  }

  /** Starts the program and waits until it is ready. */
  static async ready(plan: Plan): Promise<ActorsApp> {
    const app = new ActorsApp(plan);
    await app.process.line(/^ready$/);
    return app;
  }

  async ask(path: string): ReturnType<typeof get> {
    const line = await this.process.line(/^port \d+$/);
    return get(Number(line.slice('port '.length)), path);
  }

  /** Reads the counts. Only after the process has exited. */
  counts(): Counts {
    return JSON.parse(this.process.lines(/^counts /)[0]!.slice('counts '.length)) as Counts;
  }
}
