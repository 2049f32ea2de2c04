import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { until } from '../support/until.js';

export interface EngineEvent {
  /** Such as `start`, `kill 15`, `die 0` or `health_status: unhealthy`. */
  readonly what: string;
  readonly service: string;
  readonly container: string;
  readonly atMs: number;
}

interface Line {
  Action: string;
  timeNano: number;
  Actor: { ID: string; Attributes: Record<string, string> };
}

const WATCHED = ['start', 'kill', 'die', 'oom', 'health_status'];

/** The engine's events about the containers of a project. */
export class EngineEvents {
  readonly all: EngineEvent[] = [];
  readonly #child: ChildProcess;

  constructor(project: string) {
    const filters = WATCHED.flatMap((event) => ['--filter', `event=${event}`]);
    this.#child = spawn(
      'docker',
      ['events', ...filters, '--filter', `label=com.docker.compose.project=${project}`, '--format', '{{json .}}'],
      // Passed explicitly: variables that a test has set, such as DOCKER_HOST, exist only in its own copy of the
      // environment.
      { env: process.env, stdio: ['ignore', 'pipe', 'inherit'] },
    );
    createInterface(this.#child.stdout!).on('line', (line) => this.all.push(parse(line)));
  }

  /** Returns the first matching event after a time. */
  async event(what: string | RegExp, { of, after = 0 }: { of: string; after?: number }): Promise<EngineEvent> {
    const found = (): EngineEvent | undefined =>
      this.all.find((event) => event.service === of && event.atMs > after && event.what.match(what));
    return until(`event "${what}" of ${of}`, found, 40_000);
  }

  /** Returns the events of a service since a time, in order. */
  since(atMs: number, service: string): string[] {
    return this.all.filter((event) => event.service === service && event.atMs > atMs).map(({ what }) => what);
  }

  close(): void {
    this.#child.kill();
  }
}

const parse = (line: string): EngineEvent => {
  const { Action, timeNano, Actor } = JSON.parse(line) as Line;
  const { signal, exitCode } = Actor.Attributes;
  return {
    what: [Action, signal, Action === 'die' ? exitCode : undefined].filter(Boolean).join(' '),
    service: Actor.Attributes['com.docker.compose.service']!,
    container: Actor.ID,
    atMs: timeNano / 1e6,
  };
};
