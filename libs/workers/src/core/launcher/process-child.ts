import { type ChildProcess, fork } from 'node:child_process';
import cluster from 'node:cluster';
import type { Clock } from '@roost/time';
import { ENV, isOurs, type StopWord, type ToChild } from '../child/protocol.js';
import type { Child, ChildListeners } from './child.js';
import { ChildOutput } from './child-output.js';
import type { ProcessSpec } from './options.js';
import { Questions } from './questions.js';

const PRELOAD = new URL('../child/preload.js', import.meta.url).href;

interface StartOptions {
  readonly clock: Clock;
  readonly prefixLogs: boolean;
}

/** Starts an OS process. HTTP workers share the ports they listen on, which are the primary's. */
export function startProcess(
  spec: ProcessSpec,
  instance: number,
  listeners: ChildListeners,
  { clock, prefixLogs }: StartOptions,
): Child {
  const env = {
    ...spec.env,
    [ENV.primary]: String(process.pid),
    [ENV.name]: spec.name,
    [ENV.instance]: String(instance),
  };
  const execArgv = [...process.execArgv, '--import', PRELOAD];
  const child =
    spec.kind === 'http'
      ? forkWorker(spec, env, execArgv, prefixLogs, () => listeners.ready())
      : fork(spec.file, spec.args, { env: { ...process.env, ...env }, execArgv, silent: prefixLogs });
  const output = new ChildOutput(`${spec.name}#${instance}`, child, clock);
  const questions = new Questions(clock);
  const send = (message: ToChild): void => {
    if (child.connected) child.send(message, () => undefined);
  };

  let told: StopWord | undefined;
  child.on('message', (message) => {
    // In an HTTP worker Node's cluster module takes what comes before anybody else can listen.
    if (told && isOurs(message) && message.roost === 'here') send({ roost: 'stop', why: told });
    if (questions.receive(message) && spec.kind !== 'http') listeners.ready();
  });
  let failure: string | undefined;
  child.once('exit', (code, signal) => {
    void output.whenPassedOn().then(() => {
      const lastWords = failure ?? output.lastErrors;
      listeners.ended({ code, signal, ...(lastWords && { lastWords }) });
    });
  });
  child.on('error', ({ message }) => {
    failure = message;
    // One that could not be started has no exit.
    if (child.pid === undefined) child.emit('exit', null, null);
  });

  return {
    title: child.pid === undefined ? 'not started' : `pid ${child.pid}`,
    ...(child.pid !== undefined && { pid: child.pid }),
    stop: (why: StopWord) => {
      told = why;
      if (child.connected) send({ roost: 'stop', why });
      else child.kill('SIGTERM');
    },
    kill: () => void child.kill('SIGKILL'),
    report: (limitMs) => questions.ask((id) => send({ roost: 'status', id }), limitMs),
  };
}

function forkWorker(
  { file, args }: ProcessSpec,
  env: Record<string, string>,
  execArgv: string[],
  silent: boolean,
  onListening: () => void,
): ChildProcess {
  cluster.setupPrimary({ exec: file, args: [...args], execArgv, silent, serialization: 'json' });
  const worker = cluster.fork(env);
  worker.once('listening', onListening);
  // Repeats those of the process, which are heard there.
  worker.on('error', () => undefined);
  return worker.process;
}
