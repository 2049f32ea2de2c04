import { AppProcess } from '../../support/app-process.js';
import { get } from '../../support/http-client.js';
import type { Plan } from './fixtures/plan.js';

/** What the program has counted when it exits. */
export interface Counts {
  sent: number;
  handled: number;
  dead: number;
  started: number;
  stopped: number;
  /** Messages that were handled when the database was closed already. */
  afterClose: number;
}

/** A run of the fixture program, seen from outside. */
export class ActorsApp {
  readonly process: AppProcess;

  constructor(plan: Plan) {
    this.process = new AppProcess('.tsout/test/e2e/actors/fixtures/app.js', { args: [JSON.stringify(plan)] });
  }

  /** As the constructor, and waits until it is up. */
  static async ready(plan: Plan): Promise<ActorsApp> {
    const app = new ActorsApp(plan);
    await app.process.line(/^ready$/);
    return app;
  }

  async ask(path: string): ReturnType<typeof get> {
    const line = await this.process.line(/^port \d+$/);
    return get(Number(line.slice('port '.length)), path);
  }

  /** After the end. */
  counts(): Counts {
    return JSON.parse(this.process.lines(/^counts /)[0]!.slice('counts '.length)) as Counts;
  }
}
