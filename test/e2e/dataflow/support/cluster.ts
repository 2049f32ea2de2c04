import { AppProcess, type AppResult } from '../../../support/app-process.js';
import { freePort } from '../../../support/brokers.js';
import { until } from '../../../support/until.js';
import type { Plan } from '../fixtures/plan.js';
import { FIXTURES, reportIn, type RunReport, stopsIn } from './printed.js';

const PLACEMENT = { processes: { left: ['source'], right: ['double'], last: ['sink'] }, coordinator: 'left' };

/** Description that a member prints on request. */
export interface Described {
  readonly nodes: Record<string, { readonly tags: number; readonly queued: number }>;
  readonly heap: number;
}

/** One process of a graph. */
export class Member extends AppProcess {
  constructor(program: string, plan: Plan) {
    super(`${FIXTURES}/${program}`, { args: [JSON.stringify(plan)] });
  }

  get report(): RunReport {
    return reportIn(this);
  }

  async describe(): Promise<Described> {
    const before = this.lines(/^described /).length;
    this.send('describe');
    const line = await until('a description', () => this.lines(/^described /)[before]);
    return JSON.parse(line.slice('described '.length)) as Described;
  }
}

/** A graph whose processes a test starts one by one. The coordinator is in `left`. */
export class Cluster {
  readonly members = new Map<string, Member>();

  private constructor(
    readonly plan: Plan,
    private readonly program: string,
  ) {}

  /** Creates a cluster without starting a process. It uses NATS if the plan has the port of a broker. */
  static async prepare(plan: Plan, program = 'member.js'): Promise<Cluster> {
    const port = await freePort();
    return new Cluster({ placement: PLACEMENT, port, coordinatorAddress: `127.0.0.1:${port}`, ...plan }, program);
  }

  /** Starts all processes. */
  static async start(plan: Plan, program?: string): Promise<Cluster> {
    const cluster = await Cluster.prepare(plan, program);
    for (const process of cluster.names) cluster.add(process);
    return cluster;
  }

  /** Starts all processes, and waits until numbers arrive at the sink. */
  static async running(plan: Plan, program?: string): Promise<Cluster> {
    const cluster = await Cluster.start(plan, program);
    await cluster.get('last').line(/^got 10$/);
    return cluster;
  }

  get names(): string[] {
    const { processes, coordinator = 'coordinator' } = this.plan.placement!;
    return [...new Set([...Object.keys(processes), coordinator])];
  }

  get coordinator(): string {
    return this.plan.placement!.coordinator ?? 'coordinator';
  }

  /** Starts a process, or a replacement for it. */
  add(process: string, plan: Plan = {}): Member {
    const { port: fixed, coordinatorAddress, ...rest } = this.plan;
    const own: Plan = process === this.coordinator ? { port: fixed! } : { coordinatorAddress: coordinatorAddress! };
    const member = new Member(this.program, { ...rest, ...own, ...plan, process });
    this.members.set(process, member);
    return member;
  }

  get(process: string): Member {
    return this.members.get(process)!;
  }

  /** Waits for all processes, or for the named ones, to exit. */
  async end(...names: string[]): Promise<Record<string, AppResult>> {
    const awaited = names.length > 0 ? names : [...this.members.keys()];
    const results = await Promise.all(awaited.map(async (name) => [name, await this.get(name).end()] as const));
    return Object.fromEntries(results);
  }

  get output(): string {
    return [...this.members.values()].map(({ output }) => output).join('');
  }

  stops(): ReturnType<typeof stopsIn> {
    return stopsIn(this.output);
  }
}
