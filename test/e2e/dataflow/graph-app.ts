import { AppProcess } from '../../support/app-process.js';
import { get } from '../../support/http-client.js';
import type { Counts, Plan } from './fixtures/graph-app-plan.js';

/** A run of the fixture program, seen from outside. */
export class GraphApp {
  readonly process: AppProcess;

  constructor(plan: Plan) {
    this.process = new AppProcess('.tsout/test/e2e/dataflow/fixtures/graph-app.js', { args: [JSON.stringify(plan)] });
  }

  /** As the constructor, and waits until it is up and its graph is at work. */
  static async ready(plan: Plan): Promise<GraphApp> {
    const app = new GraphApp(plan);
    await app.process.line(/^ready$/);
    await app.process.line(/^ticking$/);
    return app;
  }

  /** Has the node "servant" do something, and waits until it has begun. */
  async order(order: string): Promise<void> {
    this.process.send(`order ${order}`);
    await this.process.line(new RegExp(`^servant got ${order}$`));
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
