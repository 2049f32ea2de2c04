import { type ChildProcess, spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createConnection, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { runCommand } from './run-command.js';
import { tempDir } from './temp-dir.js';

/** A message broker of a test's own, on the loopback address. */
export interface Broker {
  readonly port: number;
  /** As a crash: nothing is said to its clients. */
  kill(): Promise<void>;
  /** After this it answers nothing, and its connections stay open. */
  freeze(): Promise<void>;
  /** Kills it and removes its data. May be called again. */
  stop(): Promise<void>;
}

/** Far above what it takes. */
const DEADLINE_MS = 20_000;
const running = new Set<ChildProcess>();
// For a test run that is ended before its `afterAll`.
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** @param port to take the place of one that was killed. @default a free one */
export const startNats = (port?: number): Promise<Broker> =>
  start('nats-server', (own, dir) => ['-a', '127.0.0.1', '-p', String(own), '-P', `${dir}/nats.pid`], port);

export const startRedis = (): Promise<Broker> =>
  start('redis-server', (port, dir) =>
    ['--bind', '127.0.0.1', '--port', String(port), '--dir', dir, '--save', '', '--appendonly', 'no'].concat(
      // Clients are told of a full buffer by the loss of their connection, which would look like a lost message.
      ['--client-output-buffer-limit', 'pubsub 0 0 0'],
    ),
  );

async function start(
  command: string,
  argsFor: (port: number, dir: string) => string[],
  wantedPort?: number,
): Promise<Broker> {
  const port = wantedPort ?? (await freePort());
  const dir = await tempDir();
  const child = spawn(command, argsFor(port, dir.path), { stdio: ['ignore', 'pipe', 'pipe'] });
  running.add(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  }
  const ended = new Promise<void>((resolve) => {
    const end = (): void => {
      running.delete(child);
      resolve();
    };
    child.once('close', end).once('error', end);
  });
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
  };
  const stop = async (): Promise<void> => {
    await kill();
    await dir.remove();
  };
  const deadline = Date.now() + DEADLINE_MS;
  while (!(await accepts(port))) {
    if (running.has(child) && Date.now() < deadline) {
      await after(20);
      continue;
    }
    await stop();
    throw new Error(`${command} does not accept connections on port ${port}. It printed:\n${output}`);
  }
  const freeze = async (): Promise<void> => {
    child.kill('SIGSTOP');
    // The signal takes a moment, in which a message may still pass.
    while (!(await isStopped(child.pid!))) await after(1);
  };
  return { port, kill, stop, freeze };
}

/** The state comes after the name, which is in brackets. */
const isStopped = async (pid: number): Promise<boolean> =>
  /\) T /.test(await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ') T '));

/** Takes a while on a new machine. A missing broker fails the suite: a test that does not run proves nothing. */
export async function installBrokers(): Promise<void> {
  const missing = await missingBrokers();
  if (missing.length === 0) return;
  const line = `apt-get update && apt-get install -y --no-install-recommends ${missing.join(' ')}`;
  if (process.getuid?.() !== 0 || !(await isInstalled('apt-get'))) {
    throw new Error(`${missing.join(' and ')} missing. On Debian, as root: ${line}`);
  }
  process.stderr.write(`${missing.join(' and ')} missing, so this runs: ${line}\n`);
  // Suites run beside each other, and apt does not: who comes second finds everything installed.
  const { code, stderr } = await runCommand('flock', [join(tmpdir(), 'roost-apt.lock'), 'sh', '-c', line]);
  if (code !== 0 || (await missingBrokers()).length > 0) throw new Error(`"${line}" ended with ${code}: ${stderr}`);
}

async function missingBrokers(): Promise<string[]> {
  const missing: string[] = [];
  for (const command of ['nats-server', 'redis-server']) if (!(await isInstalled(command))) missing.push(command);
  return missing;
}

const isInstalled = async (command: string): Promise<boolean> =>
  (await runCommand(command, ['--version']).catch(() => undefined)) !== undefined;

/** Free at the time of asking. */
export const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });

const accepts = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = createConnection(port, '127.0.0.1', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
