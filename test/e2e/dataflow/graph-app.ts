import { AppProcess } from '../../support/app-process.js';
import { get } from '../../support/http-client.js';
import type { Counts, Plan } from './fixtures/graph-app-plan.js';

/** A run of the fixture program, observed from outside. */
export class GraphApp {
  readonly process: AppProcess;

  constructor(plan: Plan) {
    this.process = new AppProcess('.tsout/test/e2e/dataflow/fixtures/graph-app.js', { args: [JSON.stringify(plan)] });
  }

  /** Starts the program, and waits until its graph runs. */
  static async ready(plan: Plan): Promise<GraphApp> {
    const app = new GraphApp(plan);
    await app.process.line(/^ready$/);
    await app.process.line(/^ticking$/);
    return app;
  }

  /** Sends an order to the node "servant", and waits until it has started. */
  async order(order: string): Promise<void> {
    this.process.send(`order ${order}`);
    await this.process.line(new RegExp(`^servant got ${order}$`));
  }

  async ask(path: string): ReturnType<typeof get> {
    const line = await this.process.line(/^port \d+$/);
    return get(Number(line.slice('port '.length)), path);
  }

  /** Returns the counts that the program printed when it exited. */
  counts(): Counts {
    return JSON.parse(this.process.lines(/^counts /)[0]!.slice('counts '.length)) as Counts;
  }
}
