import { readdir } from 'node:fs/promises';
import type { Agent } from 'node:http';
import { join } from 'node:path';
import { type FleetStatus, readStatus } from '@roost/workers/core';
import { AppProcess } from '../../support/app-process.js';
import { type Answer, request, type RequestOptions } from '../../support/http-client.js';
import { until } from '../../support/until.js';
import { ProgramGroup } from '../workers/launch/support/program-group.js';

export const fleetEnv = (dir: string): Record<string, string> => ({ SPOOL_DIR: dir, PORT: '0', ROOST_WORKERS: '2' });

/** The fleet application, as seen by its clients and its operator. */
export class FleetApp {
  readonly group: ProgramGroup;

  private constructor(private readonly dir: string) {
    this.group = new ProgramGroup('apps/fleet/dist/main.js', fleetEnv(dir));
  }

  /** Starts the application and waits until every child is up. */
  static async up(dir: string): Promise<FleetApp> {
    const fleet = new FleetApp(dir);
    await fleet.group.app.line(/^Try it:$/);
    return fleet;
  }

  async get(path: string, agent?: Agent): Promise<Answer> {
    return this.#ask(path, { agent });
  }

  async post(path: string, body: unknown, agent?: Agent): Promise<Answer> {
    const headers = { 'content-type': 'application/json' };
    return this.#ask(path, { method: 'POST', headers, body: JSON.stringify(body), agent });
  }

  /** Sends a mail. @returns its id */
  async mail(subject: string, agent?: Agent): Promise<string> {
    const { status, body } = await this.post('/mails', { to: 'ann@example.com', subject }, agent);
    if (status !== 202) throw new Error(`${status} ${body}`);
    return (JSON.parse(body) as { id: string }).id;
  }

  /** Number of times that sending a mail started and finished. */
  deliveries(id: string): { begun: number; sent: number } {
    const { app } = this.group;
    return {
      begun: app.lines(new RegExp(`mail ${id} to`)).length,
      sent: app.lines(new RegExp(`mail ${id} sent`)).length,
    };
  }

  async sent(ids: readonly string[]): Promise<void> {
    await until('the mails', () => ids.every((id) => this.deliveries(id).sent > 0));
  }

  /** Lists a folder of the spool. */
  files(folder: string): Promise<string[]> {
    return readdir(join(this.dir, folder));
  }

  status(): Promise<FleetStatus> {
    return readStatus(join(this.dir, 'status.sock'));
  }

  async pidOf(name: string): Promise<number> {
    return (await this.status()).children.find((child) => child.name === name)!.pid!;
  }

  async #ask(path: string, options: RequestOptions): Promise<Answer> {
    const listening = await this.group.app.line(/listens on/);
    return request(Number(/:(\d+)$/.exec(listening)![1]), path, options);
  }
}

/** Runs the status command. */
export async function statusCommand(env: Record<string, string>): Promise<{ code: number | null; output: string }> {
  const command = new AppProcess('apps/fleet/dist/status.js', { env });
  const { code } = await command.end();
  return { code, output: command.output };
}
