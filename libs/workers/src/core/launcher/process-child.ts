import { type ChildProcess, fork } from 'node:child_process';
import cluster from 'node:cluster';
import type { Clock } from '@roost/time';
import { type ChildReport, ENV, isOurs, type StopKind, type ToChild } from '../child/protocol.js';
import type { ChildHandle, ChildListeners } from './child-handle.js';
import type { ProcessSpec } from './child-options.js';
import { ChildOutput } from './child-output.js';
import { ReportRequests } from './report-requests.js';

const PRELOAD = new URL('../child/preload.js', import.meta.url).href;

/** A child that is an OS process, connected by Node's IPC channel. */
export class ProcessChild implements ChildHandle {
  readonly title: string;
  readonly pid: number | undefined;
  readonly #process: ChildProcess;
  readonly #output: ChildOutput;
  readonly #requests: ReportRequests;
  #stopKind: StopKind | undefined;
  #failure: string | undefined;

  /** Starts the process. */
  constructor(
    private readonly spec: ProcessSpec,
    instance: number,
    private readonly listeners: ChildListeners,
    { clock, prefixLogs }: { readonly clock: Clock; readonly prefixLogs: boolean },
  ) {
    this.#process = forkProcess(spec, instance, prefixLogs, () => listeners.onReady());
    this.pid = this.#process.pid;
    this.title = this.pid === undefined ? 'not started' : `pid ${this.pid}`;
    this.#output = new ChildOutput(`${spec.name}#${instance}`, this.#process, clock);
    this.#requests = new ReportRequests(clock);
    this.#process.on('message', (message) => this.#onMessage(message));
    this.#process.once('exit', (code, signal) => void this.#onExit(code, signal));
    this.#process.on('error', (error) => this.#onError(error));
  }

  stop(kind: StopKind): void {
    this.#stopKind = kind;
    if (this.#process.connected) this.#send({ roost: 'stop', why: kind });
    else this.#process.kill('SIGTERM');
  }

  kill(): void {
    this.#process.kill('SIGKILL');
  }

  report(limitMs: number): Promise<ChildReport | undefined> {
    return this.#requests.ask((id) => this.#send({ roost: 'status', id }), limitMs);
  }

  #send(message: ToChild): void {
    if (this.#process.connected) this.#process.send(message, () => undefined);
  }

  #onMessage(message: unknown): void {
    // Repeats the stop: in an HTTP worker, Node's cluster module consumes messages that arrive before the agent
    // listens.
    if (this.#stopKind && isOurs(message) && message.roost === 'here') {
      this.#send({ roost: 'stop', why: this.#stopKind });
    }
    if (this.#requests.receive(message) && this.spec.kind !== 'http') this.listeners.onReady();
  }

  async #onExit(code: number | null, signal: string | null): Promise<void> {
    await this.#output.whenPassedOn();
    const lastOutput = this.#failure ?? this.#output.lastErrors;
    this.listeners.onEnded({ code, signal, ...(lastOutput && { lastOutput }) });
  }

  #onError({ message }: Error): void {
    this.#failure = message;
    // A process that could not be started emits no `exit` event.
    if (this.pid === undefined) this.#process.emit('exit', null, null);
  }
}

function forkProcess(spec: ProcessSpec, instance: number, silent: boolean, onListening: () => void): ChildProcess {
  const env = {
    ...spec.env,
    [ENV.primary]: String(process.pid),
    [ENV.name]: spec.name,
    [ENV.instance]: String(instance),
  };
  const execArgv = [...process.execArgv, '--import', PRELOAD];
  if (spec.kind === 'process') {
    return fork(spec.file, spec.args, { env: { ...process.env, ...env }, execArgv, silent });
  }
  // HTTP workers share the listening ports, which belong to the primary.
  cluster.setupPrimary({ exec: spec.file, args: [...spec.args], execArgv, silent, serialization: 'json' });
  const worker = cluster.fork(env);
  worker.once('listening', onListening);
  // The worker repeats errors of its process, which are handled there.
  worker.on('error', () => undefined);
  return worker.process;
}
