import { type ChildProcess, spawn } from 'node:child_process';
import { chown } from 'node:fs/promises';
import { createConnection, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { runCommand, type User } from './run-command.js';
import { tempDir } from './temp-dir.js';

/** A server program from a Debian package that a test starts on the loopback address, with a temporary data folder. */
export interface LocalServer {
  readonly port: number;
  readonly pid: number;
  /** Everything the server printed so far. */
  readonly output: string;
  /** Sends SIGKILL and waits for the end. Clients get no notice. */
  kill(): Promise<void>;
  /** Ends the server with its `stopSignal` and removes its data. May be called again. */
  stop(): Promise<void>;
}

export interface LocalServerOptions {
  command: string;
  args: (port: number, dir: string) => string[];
  /** @default a free port */
  port?: number | undefined;
  /** Owner of the data folder and of the process, for a server that refuses to run as root. */
  user?: User | undefined;
  /** Runs before the server starts. */
  prepare?: (dir: string) => Promise<void>;
  /** Whether the server answers. @default it accepts connections */
  isReady?: (port: number) => Promise<boolean>;
  /** @default 'SIGKILL' */
  stopSignal?: NodeJS.Signals;
}

const DEADLINE_MS = 20_000;
const running = new Set<ChildProcess>();
// Covers a test run that ends before its `afterAll`.
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

export async function startLocalServer(options: LocalServerOptions): Promise<LocalServer> {
  const { command, args, user, prepare, isReady = accepts, stopSignal = 'SIGKILL' } = options;
  const port = options.port ?? (await freePort());
  const dir = await tempDir();
  if (user) await chown(dir.path, user.uid, user.gid);
  await prepare?.(dir.path);
  const child = spawn(command, args(port, dir.path), { stdio: ['ignore', 'pipe', 'pipe'], ...user });
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
    child.kill(stopSignal);
    await ended;
    await dir.remove();
  };
  const deadline = Date.now() + DEADLINE_MS;
  while (!(await isReady(port))) {
    if (running.has(child) && Date.now() < deadline) {
      await after(20);
      continue;
    }
    await stop();
    throw new Error(`${command} does not accept connections on port ${port}. It printed:\n${output}`);
  }
  return {
    port,
    pid: child.pid!,
    get output() {
      return output;
    },
    kill,
    stop,
  };
}

/**
 * Installs the Debian packages whose command is missing, which takes a while on a new machine. Throws if that is not
 * possible: a suite that skips its tests proves nothing.
 *
 * @param packages command that shows whether a package is installed, by name of the package
 */
export async function installPackages(packages: Record<string, string>): Promise<void> {
  const missing = await missingOf(packages);
  if (missing.length === 0) return;
  // RUNLEVEL keeps the package from starting its server.
  const line = `apt-get update && RUNLEVEL=1 apt-get install -y --no-install-recommends ${missing.join(' ')}`;
  if (process.getuid?.() !== 0 || !(await isInstalled('apt-get'))) {
    throw new Error(`${missing.join(' and ')} missing. On Debian, as root: ${line}`);
  }
  process.stderr.write(`${missing.join(' and ')} missing, so this runs: ${line}\n`);
  // Suites run in parallel, but apt does not. The second suite to get the lock finds everything installed.
  const { code, stderr } = await runCommand('flock', [join(tmpdir(), 'roost-apt.lock'), 'sh', '-c', line]);
  if (code !== 0 || (await missingOf(packages)).length > 0) {
    throw new Error(`"${line}" ended with ${code}: ${stderr}`);
  }
}

async function missingOf(packages: Record<string, string>): Promise<string[]> {
  const missing: string[] = [];
  for (const [name, command] of Object.entries(packages)) if (!(await isInstalled(command))) missing.push(name);
  return missing;
}

const isInstalled = async (command: string): Promise<boolean> =>
  (await runCommand(command, ['--version']).catch(() => undefined)) !== undefined;

/** A port that is free at the time of the call. */
export const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });

/** Whether something on 127.0.0.1 accepts connections on this port. */
export const accepts = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = createConnection(port, '127.0.0.1', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
