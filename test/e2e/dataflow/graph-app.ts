import { get } from 'node:http';
import { AppProcess } from '../../support/app-process.js';
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

  async ask(path: string): Promise<{ status: number; text: string }> {
    const port = Number((await this.process.line(/^port \d+$/)).slice('port '.length));
    return new Promise((resolve, reject) => {
      get({ host: '127.0.0.1', port, path, agent: false }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.on('error', reject).on('end', () => resolve({ status: response.statusCode!, text }));
      }).on('error', reject);
    });
  }

  /** After the end. */
  counts(): Counts {
    return JSON.parse(this.process.lines(/^counts /)[0]!.slice('counts '.length)) as Counts;
  }
}
