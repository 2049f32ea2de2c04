/** What the launcher has Node load first in every child process (`--import`), so that its program needs no code for it. */
import cluster from 'node:cluster';
import { isMainThread } from 'node:worker_threads';
import { captureEarlySignals, ignoreSignals } from '@roost/shutdown/core';
import { ChildAgent } from './agent.js';
import { ENV } from './protocol.js';

const primary = process.env[ENV.primary];
if (isMainThread && primary !== undefined) superviseProcess(primary);

function superviseProcess(primary: string): void {
  // Processes that this one starts load this file too, but are none of the launcher's.
  delete process.env[ENV.primary];
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
  agent.here();
  // It may have died before we could listen.
  if (!process.connected || primary !== String(process.ppid)) agent.stop('orphaned');
}
