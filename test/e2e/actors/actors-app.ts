import { get } from 'node:http';
import { AppProcess } from '../../support/app-process.js';
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

  /** The body of a reply, and its status. */
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
