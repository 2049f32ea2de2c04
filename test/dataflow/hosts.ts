import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { DataflowReport } from '@roost/dataflow/core';
import { ROOT } from '../support/workspace.js';
import { namesOf } from './placements.js';
import { type SubjectName, subjectOf } from './subject.js';

export type Network = { readonly tcp: true } | { readonly nats: number };

/** Order to run one process of a subject. */
export interface ToHost {
  readonly id: number;
  readonly subject: SubjectName;
  readonly process: string;
  readonly network: Network;
  readonly coordinatorAddress?: string;
  readonly app: string;
}

/** Report of a run from one of its processes. */
export interface HostReport extends Omit<DataflowReport, 'error'> {
  readonly error: string | undefined;
}

export type FromHost =
  | { readonly id: number; readonly listening: string }
  | { readonly id: number; readonly report: Omit<DataflowReport, 'error'>; readonly error: string | undefined }
  | { readonly id: number; readonly error: string };

/** Output path of `tsc -b`. */
const PROGRAM = `${ROOT}/.tsout/test/dataflow/host-main.js`;

/** An OS process that runs one process of a run after another. */
class Host {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, { listening: (address: string) => void; ended: (report: HostReport) => void }>();

  constructor() {
    const { NODE_OPTIONS: _, ...env } = process.env;
    this.#child = fork(PROGRAM, { env, serialization: 'advanced', stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    this.#child.on('message', (message: FromHost) => {
      const { listening, ended } = this.#waiting.get(message.id)!;
      if ('listening' in message) return listening(message.listening);
      ended({ ...('report' in message ? message.report : NOTHING), error: message.error });
    });
    this.#child.on('exit', (code, signal) => {
      for (const { ended } of this.#waiting.values()) ended({ ...NOTHING, error: `host exited: ${signal ?? code}` });
    });
  }

  run(order: ToHost): { listening: Promise<string>; ended: Promise<HostReport> } {
    let listening!: (address: string) => void;
    const address = new Promise<string>((resolve) => (listening = resolve));
    const ended = new Promise<HostReport>((resolve) => this.#waiting.set(order.id, { listening, ended: resolve }));
    this.#child.send(order);
    return { listening: address, ended };
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exit = once(this.#child, 'exit');
    this.#child.disconnect();
    await exit;
  }
}

const NOTHING: Omit<DataflowReport, 'error'> = {
  ...{ status: 'forced', exitCode: 1, stopTag: undefined, digest: '', nodes: {} },
  ...{ controlMessages: 0, dataMessages: 0 },
};

/** OS processes that run subjects together. */
export class Hosts {
  readonly #hosts: Host[] = [];
  #runs = 0;

  /** Runs each process of the subject in its own OS process. @throws Error when their reports differ */
  async run(subject: SubjectName, network: Network): Promise<HostReport> {
    const id = ++this.#runs;
    const [first, ...others] = namesOf(subjectOf(subject));
    const order = { id, subject, network, app: `run-${process.pid}-${id}` };
    const coordinator = this.#host(0).run({ ...order, process: first! });
    const coordinatorAddress = await Promise.race([coordinator.listening, coordinator.ended.then(() => '')]);
    const runs = others.map(
      (name, at) => this.#host(at + 1).run({ ...order, process: name, coordinatorAddress }).ended,
    );
    const reports = await Promise.all([coordinator.ended, ...runs]);
    const failed = reports.find(({ error }) => error !== undefined);
    if (failed) return failed;
    const stories = new Set(reports.map(({ status, stopTag, digest }) => JSON.stringify({ status, stopTag, digest })));
    if (stories.size > 1) throw new Error(`the processes disagree: ${[...stories].join(' and ')}`);
    return reports[0];
  }

  /** Ends all processes. */
  async stop(): Promise<void> {
    await Promise.all(this.#hosts.splice(0).map((host) => host.stop()));
  }

  #host(at: number): Host {
    return (this.#hosts[at] ??= new Host());
  }
}
