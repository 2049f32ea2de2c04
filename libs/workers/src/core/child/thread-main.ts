/// <reference lib="es2024.sharedmemory" />
/** Entry point of a launcher thread. It connects the thread to the primary, then runs the thread's program. */
import { pathToFileURL } from 'node:url';
import { workerData } from 'node:worker_threads';
import { captureEarlySignals } from '@roost/shutdown/core';
import { ChildAgent } from './agent.js';
import { Flag, type ThreadData } from './protocol.js';

const { file, flag, port } = workerData as ThreadData;
const agent = ChildAgent.install(new ChildAgent((message) => port.postMessage(message)));
captureEarlySignals({ signals: ['SIGTERM'] });
port.on('message', (message) => agent.receive(message));
port.unref();

const view = new Int32Array(flag);
const wait = Atomics.waitAsync(view, 0, Flag.running);
const stop = (): void => agent.stop(view[0] === Flag.replaced ? 'replaced' : 'stop');
if (wait.async) void wait.value.then(stop);
else stop();

// Programs may check whether they are the main script.
process.argv[1] = file;
await import(pathToFileURL(file).href);
