/**
 * Node loads this file first in every child process (`--import`), so that the program needs no code for the launcher.
 */
import cluster from 'node:cluster';
import { isMainThread } from 'node:worker_threads';
import { captureEarlySignals, ignoreSignals } from '@roost/shutdown/core';
import { ChildAgent } from './agent.js';
import { ENV } from './protocol.js';

const primary = process.env[ENV.primary];
if (isMainThread && primary !== undefined) superviseProcess(primary);

function superviseProcess(primary: string): void {
  // Processes started by this one load this file too, but they are not children of the launcher.
  delete process.env[ENV.primary];
  const agent = ChildAgent.install(
    new ChildAgent((message) => {
      if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
    }),
  );
  captureEarlySignals({ signals: ['SIGTERM'] });
  // Ctrl+C and a closed terminal signal the whole process group. Children wait for the primary to stop them.
  ignoreSignals(['SIGINT', 'SIGHUP']);
  process.on('message', (message) => agent.receive(message));
  process.prependListener('disconnect', () => {
    // Otherwise Node's cluster module exits the process immediately.
    if (cluster.worker) cluster.worker.exitedAfterDisconnect = true;
    agent.stop('orphaned');
  });
  // A process whose work is done may exit. A cluster worker must not: while it asks the primary for a port, only the
  // channel keeps it alive.
  if (!cluster.worker) process.channel?.unref();
  // Without the primary the output has no reader.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  agent.here();
  // The primary may have died before the listeners above were installed.
  if (!process.connected || primary !== String(process.ppid)) agent.stop('orphaned');
}
