import { MessageChannel, Worker } from 'node:worker_threads';
import { messageOf } from '@roost/kernel';
import type { Clock } from '@roost/time';
import { ENV, Flag, type StopWord, type ThreadData, type ToChild } from '../child/protocol.js';
import type { Child, ChildListeners } from './child.js';
import { ChildOutput } from './child-output.js';
import type { ThreadSpec } from './options.js';
import { Questions } from './questions.js';

const MAIN = new URL('../child/thread-main.js', import.meta.url);

/** Starts a worker thread. It is told to stop by a flag in shared memory, which it waits on without polling. */
export function startThread(
  spec: ThreadSpec,
  instance: number,
  listeners: ChildListeners,
  { clock, prefixLogs }: { clock: Clock; prefixLogs: boolean },
): Child {
  const name = `${spec.name}#${instance}`;
  const flag = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  const { port1: port, port2: threadPort } = new MessageChannel();
  const thread = new Worker(MAIN, {
    name,
    argv: [...spec.args],
    env: { ...process.env, ...spec.env, [ENV.name]: spec.name, [ENV.instance]: String(instance) },
    workerData: { file: spec.file, flag, port: threadPort } satisfies ThreadData,
    transferList: [threadPort],
    stdout: prefixLogs,
    stderr: prefixLogs,
  });
  const output = new ChildOutput(name, prefixLogs ? thread : {}, clock);
  const questions = new Questions(clock);
  port.on('message', (message) => {
    if (questions.receive(message)) listeners.ready();
  });
  port.unref();

  let failure: string | undefined;
  thread.on('error', (error) => (failure = messageOf(error)));
  thread.once('exit', (code) => {
    port.close();
    void output.whenPassedOn().then(() => {
      listeners.ended({ code, signal: null, ...(failure && { lastWords: failure }) });
    });
  });

  return {
    title: `thread ${thread.threadId}`,
    threadId: thread.threadId,
    stop: (why: StopWord) => {
      const view = new Int32Array(flag);
      Atomics.store(view, 0, why === 'replaced' ? Flag.replaced : Flag.stop);
      Atomics.notify(view, 0);
    },
    kill: () => void thread.terminate(),
    report: (limitMs) => questions.ask((id) => port.postMessage({ roost: 'status', id } satisfies ToChild), limitMs),
  };
}
