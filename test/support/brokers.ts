import { readFile } from 'node:fs/promises';
import { setTimeout as after } from 'node:timers/promises';
import { installPackages, type LocalServer, type LocalServerOptions, startLocalServer } from './local-server.js';

export { freePort } from './local-server.js';

/** A message broker that a test starts on the loopback address. */
export interface Broker extends Pick<LocalServer, 'port' | 'kill' | 'stop'> {
  /** Stops the process with SIGSTOP: it answers nothing, and its connections stay open. */
  freeze(): Promise<void>;
}

/** @param port of a killed broker that this one replaces. @default a free port */
export const startNats = (port?: number): Promise<Broker> =>
  start({
    command: 'nats-server',
    args: (own, dir) => ['-a', '127.0.0.1', '-p', String(own), '-P', `${dir}/nats.pid`],
    port,
  });

export const startRedis = (): Promise<Broker> =>
  start({
    command: 'redis-server',
    args: (port, dir) =>
      ['--bind', '127.0.0.1', '--port', String(port), '--dir', dir, '--save', '', '--appendonly', 'no'].concat(
        // By default Redis disconnects a subscriber whose buffer is full, which would look like a lost message.
        ['--client-output-buffer-limit', 'pubsub 0 0 0'],
      ),
  });

async function start(options: LocalServerOptions): Promise<Broker> {
  const { port, pid, kill, stop } = await startLocalServer(options);
  return { port, kill, stop, freeze: () => freezeProcess(pid) };
}

/** Sends SIGSTOP, and waits until it takes effect: before that, a message may still pass. */
export async function freezeProcess(pid: number): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  while (!(await isStopped(pid))) await after(1);
}

/** The state follows the name of the program, which is in parentheses. */
const isStopped = async (pid: number): Promise<boolean> =>
  /\) T /.test(await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ') T '));

/** Installs the brokers if they are missing. */
export const installBrokers = (): Promise<void> =>
  installPackages({ 'nats-server': 'nats-server', 'redis-server': 'redis-server' });
