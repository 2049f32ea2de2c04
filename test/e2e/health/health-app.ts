import { Agent, get } from 'node:http';
import { setTimeout as after } from 'node:timers/promises';
import { AppProcess } from '../../support/app-process.js';
import { type Answer, request } from '../../support/http-client.js';
import type { Plan, Point } from './fixtures/plan.js';

const HOST = '127.0.0.1';
const PATIENCE_MS = 10_000;

export const PROBES = ['live', 'ready', 'startup'] as const;
export type Probe = (typeof PROBES)[number];

type ProbeAnswer = Pick<Answer, 'status' | 'body'>;

/** A run of the fixture program and its probes, as seen from outside. */
export class HealthApp {
  readonly process: AppProcess;
  readonly #ownPort: boolean;

  constructor({ gates = [], ...plan }: Omit<Plan, 'gates'> & { gates?: readonly Point[] }) {
    this.process = new AppProcess('.tsout/test/e2e/health/fixtures/app.js', {
      args: [JSON.stringify({ ...plan, gates })],
    });
    this.#ownPort = plan.ownPort;
  }

  /** Waits until the program is paused at this point. */
  at(point: Point): Promise<string> {
    return this.process.line(new RegExp(`^at:${point}$`));
  }

  /** Resumes the program. */
  go(): void {
    this.process.send('go');
  }

  /** Address of the probes, once the program has printed it. */
  async port(): Promise<number> {
    const line = await this.process.line(this.#ownPort ? /probes on http/ : /^port \d+$/);
    return Number(/(?:127\.0\.0\.1:|^port )(\d+)/.exec(line)?.[1]);
  }

  async ask(probe: Probe, method: 'GET' | 'HEAD' = 'GET'): Promise<ProbeAnswer> {
    const { status, body } = await request(await this.port(), `/health/${probe}`, { method });
    return { status, body };
  }

  /** Returns the responses of live, ready and startup to GET. HEAD must agree, without a body. */
  async statuses(): Promise<number[]> {
    const statuses: number[] = [];
    for (const probe of PROBES) {
      const { status, body } = await this.ask(probe);
      const head = await this.ask(probe, 'HEAD');
      expect(head).toEqual({ status, body: '' });
      expect(body).not.toBe('');
      statuses.push(status);
    }
    return statuses;
  }

  /** Polls the probe until the response is as wanted. */
  async until(probe: Probe, isWanted: (answer: ProbeAnswer) => boolean): Promise<ProbeAnswer> {
    const deadline = Date.now() + PATIENCE_MS;
    for (;;) {
      const answer = await this.ask(probe);
      if (isWanted(answer)) return answer;
      if (Date.now() > deadline) throw new Error(`probe ${probe} still says ${answer.status} ${answer.body}`);
      await after(2);
    }
  }

  /** Returns the events in the program since its start, in order. */
  happened(): string[] {
    return this.process
      .lines(/^(at:)?(\w+-task|on[A-Z]\w+|before[A-Z]\w+|job)$/)
      .map((line) => line.replace('at:', ''));
  }
}

/** Polls a probe without pause on one connection, which it keeps open until the server closes it. */
export class KeepAlivePoller {
  readonly statuses: number[] = [];
  /** The server has closed or reset the connection. */
  readonly ended: Promise<void>;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  readonly #connections = new Set<object>();

  constructor(
    private readonly port: number,
    private readonly probe: Probe,
  ) {
    this.ended = this.#poll();
  }

  /** Number of connections used. */
  get connections(): number {
    return this.#connections.size;
  }

  /** Waits until this status has been received `count` times. */
  async answered(status: number, times: number): Promise<void> {
    const deadline = Date.now() + PATIENCE_MS;
    while (this.statuses.filter((answered) => answered === status).length < times) {
      if (Date.now() > deadline) throw new Error(`probe ${this.probe} answered ${this.statuses.join(', ')}`);
      await after(2);
    }
  }

  async #poll(): Promise<void> {
    try {
      for (;;) {
        this.statuses.push(await this.#once());
        await after(1);
      }
    } catch {
      this.#agent.destroy();
    }
  }

  #once(): Promise<number> {
    return new Promise((resolve, reject) => {
      get({ host: HOST, port: this.port, path: `/health/${this.probe}`, agent: this.#agent }, (response) => {
        this.#connections.add(response.socket);
        response.resume().on('error', reject);
        response.on('end', () => resolve(response.statusCode!));
      }).on('error', reject);
    });
  }
}
