import type { INestApplicationContext } from '@nestjs/common';
import { enableCoordinatedShutdown } from '@roost/shutdown';
import { ChildAgent } from './core/child/agent.js';
import { ENV } from './core/child/protocol.js';
import { InvalidWorkerOptionError } from './core/errors/invalid-worker-option.error.js';
import { NestedLaunchError } from './core/errors/nested-launch.error.js';
import { type ChildOptions, type FileOptions, Fleet, type FleetOptions } from './core/index.js';
import { CHILD_KEYS } from './core/launcher/child-options.js';
import { check } from './core/option-checks.js';

type NestModule = Parameters<(typeof import('@nestjs/core').NestFactory)['createApplicationContext']>[0];

/** A background process that runs a Nest module. @publicApi */
export interface ModuleProcessOptions extends ChildOptions {
  /** Name for logs, the status and errors. Unique in the fleet. */
  name: string;
  /**
   * Root module of the process. It imports `CoordinatedShutdownModule` and `WorkersModule` like any other root module.
   */
  module: NestModule;
}

/** Options of `launch()`. @publicApi */
export interface LaunchOptions extends Omit<FleetOptions, 'processes'> {
  /** Background processes, each in its own OS process. Each runs a Nest module or a program. @default [] */
  processes?: readonly (ModuleProcessOptions | FileOptions)[];
}

/**
 * Runs an application in several OS processes: HTTP workers that share a port, background processes and threads,
 * managed by a primary. The primary restarts a child that exits unexpectedly, performs a rolling restart on SIGHUP, and
 * on SIGTERM or Ctrl+C stops all children and exits when the last one has exited.
 *
 * Call it in the script that you start. A child with a module runs that script again, up to this call.
 *
 * @example
 * ```ts
 * import { Module } from '@nestjs/common';
 * import { CoordinatedShutdownModule } from '@roost/shutdown';
 * import { BackgroundProcess, launch, type RunToken, WorkersModule } from '@roost/workers';
 *
 * @BackgroundProcess()
 * class Mailer {
 *   async handle(run: RunToken): Promise<void> {
 *     while (await run.sleep(1_000)) await fetch('http://mail.internal/send-next', { method: 'POST' });
 *   }
 * }
 *
 * @Module({ imports: [CoordinatedShutdownModule.forRoot(), WorkersModule.forRoot()], providers: [Mailer] })
 * class MailerModule {}
 *
 * await launch({
 *   app: './web.js',
 *   http: 'auto',
 *   processes: [{ name: 'mailer', module: MailerModule }],
 * });
 * ```
 *
 * @returns in the primary, when every child is up; in a child it never resolves
 * @throws InvalidWorkerOptionError, DuplicateChildError, NothingToLaunchError, StatusSocketError, NestedLaunchError
 * @publicApi
 */
export async function launch(options: LaunchOptions): Promise<Fleet> {
  check.object(options, 'options');
  if (ChildAgent.current) return runAsChild(options);
  const { processes, ...rest } = options;
  const fleet = await Fleet.start(processes === undefined ? rest : { ...rest, processes: toPrograms(processes) });
  await fleet.whenUp;
  return fleet;
}

const MODULE_KEYS = [...CHILD_KEYS, 'name', 'module'];

/** A class cannot be sent to another process, but the script that contains it can run there. */
function toPrograms(processes: NonNullable<LaunchOptions['processes']>): FileOptions[] {
  check.list(processes, 'processes');
  return processes.map((one, index) => {
    const where = `processes[${index}]`;
    if (typeof one !== 'object' || one === null || !('module' in one)) return one;
    const { module, ...rest } = one;
    if ('file' in one || !['function', 'object'].includes(typeof module) || module === null) {
      const expected = 'a Nest module; a process has either a module or a file, not both';
      throw new InvalidWorkerOptionError(`${where}.module (${one.name})`, module, expected);
    }
    check.knownKeys(one, MODULE_KEYS, where);
    return { ...rest, file: process.argv[1]!, args: process.argv.slice(2) };
  });
}

async function runAsChild({ processes = [] }: LaunchOptions): Promise<never> {
  const name = process.env[ENV.name] ?? '';
  const own = processes.find((one) => one.name === name);
  if (!own || !('module' in own)) throw new NestedLaunchError(name);
  const { NestFactory } = await import('@nestjs/core');
  // If the boot fails, Node prints the error of this script and exits with 1.
  const app: INestApplicationContext = await NestFactory.createApplicationContext(own.module, { abortOnError: false });
  enableCoordinatedShutdown(app);
  return new Promise<never>(() => undefined);
}
