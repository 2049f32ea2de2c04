/// <reference lib="es2024.sharedmemory" />
/** What the launcher has Node load first in every child (`--import`), so that the application needs no code for it. */
import cluster from 'node:cluster';
import { isMainThread, workerData } from 'node:worker_threads';
import { captureEarlySignals, ignoreSignals } from '@roost/shutdown/core';
import { ChildAgent } from './agent.js';
import { ENV, Flag, type ThreadData } from './protocol.js';

const thread = isMainThread ? undefined : (workerData as { roost?: ThreadData } | null)?.roost;
// Processes and threads that a child starts load this file too, but are none of the launcher's.
if (thread) superviseThread(thread);
else if (isMainThread && process.env[ENV.primary] === String(process.ppid)) superviseProcess();

function superviseProcess(): void {
  const agent = ChildAgent.install(
    new ChildAgent((message) => {
      if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
    }),
  );
  captureEarlySignals({ signals: ['SIGTERM'] });
  // Ctrl+C and the end of a terminal reach the whole group. Children wait for the word of the primary.
  ignoreSignals(['SIGINT', 'SIGHUP']);
  process.on('message', (message) => agent.receive(message));
  process.prependListener('disconnect', () => {
    // Otherwise Node's cluster module ends the process here and now.
    if (cluster.worker) cluster.worker.exitedAfterDisconnect = true;
    agent.stop('orphaned');
  });
  // One whose work is done may end. A cluster worker may not: while it asks the primary for a port, only the channel holds it.
  if (!cluster.worker) process.channel?.unref();
  // Without the primary nobody reads what we print.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
}

function superviseThread({ flag, port }: ThreadData): void {
  const agent = ChildAgent.install(new ChildAgent((message) => port.postMessage(message)));
  captureEarlySignals({ signals: ['SIGTERM'] });
  port.on('message', (message) => agent.receive(message));
  port.unref();
  const view = new Int32Array(flag);
  const wait = Atomics.waitAsync(view, 0, Flag.running);
  const stop = (): void => agent.stop(view[0] === Flag.replaced ? 'replaced' : 'stop');
  if (wait.async) void wait.value.then(stop);
  else stop();
}
