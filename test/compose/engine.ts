import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { composeCommand } from '../support/compose-command.js';
import { runCommand, runOrThrow } from '../support/run-command.js';
import { until } from '../support/until.js';
import { afterThisProcess } from './after-this-process.js';

/** Kept between runs, so that images need not be built again. */
const DIR = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'roost-docker');
const SOCKET = `unix://${DIR}/docker.sock`;
/** Packages needed to run an engine, and a base image on a machine that cannot pull any. */
const PACKAGES: Readonly<Record<string, string>> = {
  docker: 'docker.io',
  dockerd: 'docker.io',
  'docker-compose': 'docker-compose',
  iptables: 'iptables',
  busybox: 'busybox-static',
};
const START_MS = 60_000;

/**
 * Returns `describe` if there is a Docker engine or one can be started. Otherwise the tests are skipped, or fail where
 * they are required: on CI, and with ROOST_REQUIRE_DOCKER.
 */
export async function describeWithDocker(): Promise<typeof describe> {
  const missing = await whatIsMissing();
  if (missing === undefined) return describe;
  if (process.env.CI || process.env.ROOST_REQUIRE_DOCKER) throw new Error(missing);
  process.stderr.write(`\nCONTAINER TESTS SKIPPED: ${missing}\n\n`);
  return describe.skip;
}

export interface Engine {
  stop(): Promise<void>;
}

/** Uses the engine that docker is connected to, or starts one. After that, docker and compose use it. */
export async function startEngine(): Promise<Engine> {
  if (await answers()) return { stop: () => Promise.resolve() };
  mkdirSync(DIR, { recursive: true, mode: 0o700 });
  const log = join(DIR, 'dockerd.log');
  const output = openSync(log, 'w');
  const child = spawn(
    'dockerd',
    ['--data-root', `${DIR}/data`, '--exec-root', `${DIR}/exec`, '-p', `${DIR}/dockerd.pid`, '-H', SOCKET],
    // Not in the process group of the tests, because Ctrl+C must not stop the engine.
    { detached: true, stdio: ['ignore', output, output] },
  );
  closeSync(output);
  const stop = stopper(child);
  process.env.DOCKER_HOST = SOCKET;
  try {
    await until(
      'the Docker engine',
      async () => {
        if (child.exitCode !== null) throw new Error(`dockerd exited with ${child.exitCode}`);
        return answers();
      },
      START_MS,
    );
    await removeLeftovers();
    return { stop };
  } catch (error) {
    await stop();
    throw new Error(`The Docker engine did not start. Its last output:\n${readFileSync(log, 'utf8').slice(-2_000)}`, {
      cause: error,
    });
  }
}

function stopper(child: ChildProcess): () => Promise<void> {
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()).once('error', () => resolve()));
  const callOff = afterThisProcess('kill "$1"', String(child.pid));
  return async () => {
    child.kill('SIGTERM');
    await ended;
    callOff();
  };
}

/** Containers of a run that was killed. Their restart policy may have restarted them just now. */
async function removeLeftovers(): Promise<void> {
  const ids = (await runOrThrow('docker', ['ps', '--all', '--quiet'])).split('\n').filter(Boolean);
  if (ids.length > 0) await runOrThrow('docker', ['rm', '--force', '--volumes', ...ids]);
  await runOrThrow('docker', ['volume', 'prune', '--force']);
  await runOrThrow('docker', ['network', 'prune', '--force']);
}

async function whatIsMissing(): Promise<string | undefined> {
  if ((await answers()) && (await composeCommand())) return undefined;
  const packages = new Set<string>();
  for (const [command, name] of Object.entries(PACKAGES)) if (!(await isInstalled(command))) packages.add(name);
  if (isRoot() && packages.size === 0) return undefined;
  const line = `apt-get update && apt-get install -y --no-install-recommends ${[...packages].join(' ')}`;
  if (!isRoot() || !(await isInstalled('apt-get'))) {
    return 'no Docker engine with compose answers. Start one, or run this as root on Debian: then it starts its own.';
  }
  process.stderr.write(`${[...packages].join(' and ')} missing; running ${line}\n`);
  const { code, stderr } = await runCommand('sh', ['-c', line]);
  return code === 0 ? undefined : `"${line}" exited with ${code}: ${stderr}`;
}

const isRoot = (): boolean => process.getuid?.() === 0;

const answers = (): Promise<boolean> => works('docker', 'version');

const isInstalled = (command: string): Promise<boolean> => works('sh', '-c', `command -v ${command}`);

const works = async (command: string, ...args: string[]): Promise<boolean> =>
  (await runCommand(command, args).catch(() => undefined))?.code === 0;
