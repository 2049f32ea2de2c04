import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { messageOf } from '@roost/kernel';
import type { Clock } from '@roost/time';
import { type ChildReport, ENV, Flag, type StopKind, type ThreadData, type ToChild } from '../child/protocol.js';
import type { ChildHandle, ChildListeners } from './child-handle.js';
import type { ThreadSpec } from './child-options.js';
import { ChildOutput } from './child-output.js';
import { ReportRequests } from './report-requests.js';

const MAIN = new URL('../child/thread-main.js', import.meta.url);

/** A child that is a worker thread. It waits on a stop flag in shared memory, without polling. */
export class ThreadChild implements ChildHandle {
  readonly title: string;
  readonly threadId: number;
  readonly #thread: Worker;
  readonly #port: MessagePort;
  readonly #flag = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  readonly #output: ChildOutput;
  readonly #requests: ReportRequests;
  #failure: string | undefined;

  /** Starts the thread. */
  constructor(
    spec: ThreadSpec,
    instance: number,
    private readonly listeners: ChildListeners,
    { clock, prefixLogs }: { readonly clock: Clock; readonly prefixLogs: boolean },
  ) {
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    this.#thread = startThread(spec, instance, prefixLogs, { file: spec.file, flag: this.#flag.buffer, port: port2 });
    this.threadId = this.#thread.threadId;
    this.title = `thread ${this.threadId}`;
    this.#output = new ChildOutput(`${spec.name}#${instance}`, prefixLogs ? this.#thread : {}, clock);
    this.#requests = new ReportRequests(clock);
    port1.on('message', (message) => {
      if (this.#requests.receive(message)) listeners.onReady();
    });
    port1.unref();
    this.#thread.on('error', (error) => (this.#failure = messageOf(error)));
    this.#thread.once('exit', (code) => void this.#onExit(code));
  }

  stop(kind: StopKind): void {
    Atomics.store(this.#flag, 0, kind === 'replaced' ? Flag.replaced : Flag.stop);
    Atomics.notify(this.#flag, 0);
  }

  kill(): void {
    void this.#thread.terminate();
  }

  report(limitMs: number): Promise<ChildReport | undefined> {
    return this.#requests.ask((id) => this.#port.postMessage({ roost: 'status', id } satisfies ToChild), limitMs);
  }

  async #onExit(code: number): Promise<void> {
    this.#port.close();
    await this.#output.whenPassedOn();
    this.listeners.onEnded({ code, signal: null, ...(this.#failure && { lastOutput: this.#failure }) });
  }
}

const startThread = (spec: ThreadSpec, instance: number, prefixLogs: boolean, data: ThreadData): Worker =>
  new Worker(MAIN, {
    name: `${spec.name}#${instance}`,
    argv: [...spec.args],
    env: { ...process.env, ...spec.env, [ENV.name]: spec.name, [ENV.instance]: String(instance) },
    workerData: data,
    transferList: [data.port],
    stdout: prefixLogs,
    stderr: prefixLogs,
  });
