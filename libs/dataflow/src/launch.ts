import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import type { DynamicModule, INestMicroservice, Type } from '@nestjs/common';
import {
  captureEarlySignals,
  CoordinatedShutdown,
  CoordinatedShutdownModule,
  enableCoordinatedShutdown,
  ParentGoneReason,
  ProcessTerminateReason,
  terminateProcess,
} from '@roost/shutdown';
import { systemClock } from '@roost/time';
import { LaunchedElsewhereError } from './core/errors/launched-elsewhere.error.js';
import {
  Dataflow,
  type DataflowReport,
  DEFAULT_PROCESS_OPTIONS,
  type GraphPlacement,
  InvalidDataflowOptionError,
  type ProcessExit,
  type ProcessOptions,
  tcp,
} from './core/index.js';
import { Lifeline } from './core/launcher/lifeline.js';
import { ProcessGroup } from './core/launcher/process-group.js';
import { check } from './core/option-checks.js';
import { DATAFLOW_OPTION_NAMES } from './core/run/options.js';
import { PROCESS_OPTION_NAMES } from './core/distributed/options.js';
import { planProcesses } from './core/distributed/plan.js';
import { DEFAULT_KILL_AFTER_MS, registerLaunchTasks } from './core/shutdown-tasks.js';
import { DataflowModule } from './dataflow.module.js';
import type { DataflowNodeOptions } from './dataflow.options.js';
import { dataflowMicroservice } from './dataflow.server.js';

type NestModule = Type<unknown> | DynamicModule;

/** Environment variables that the launcher sets for a launched process. */
const ENV = { process: 'ROOST_DATAFLOW_PROCESS', address: 'ROOST_DATAFLOW_COORDINATOR', token: 'ROOST_DATAFLOW_TOKEN' };

/** Extra wait in ms. A linked process may notice the loss of the first process itself and then stop in better order. */
const LINK_MARGIN_MS = 1_000;

/** @publicApi */
export interface LaunchDataflowOptions extends Omit<
  DataflowNodeOptions,
  'process' | 'transport' | 'coordinatorAddress' | 'token' | 'listening' | 'autoStart' | 'exit'
> {
  /**
   * Module that provides the nodes, or one module per process. It must not import `CoordinatedShutdownModule` itself.
   */
  module: NestModule | Readonly<Record<string, NestModule>>;
  /** Options of `CoordinatedShutdownModule` in every process. @default the defaults of that module */
  shutdown?: Parameters<typeof CoordinatedShutdownModule.forRoot>[0];
  /** Time in ms that processes have to exit after the run before they are killed. @default 10000 */
  killAfterMs?: number;
}

/** Process options that the launcher sets itself. */
const OF_THE_LAUNCHER = ['process', 'transport', 'coordinatorAddress', 'token', 'listening'];

const LAUNCH_OPTION_NAMES = [
  ...[...DATAFLOW_OPTION_NAMES, ...PROCESS_OPTION_NAMES].filter((name) => !OF_THE_LAUNCHER.includes(name)),
  // The compiler rejects this list if an option is missing.
  ...Object.keys({ stopTimeoutMs: true, module: true, shutdown: true, killAfterMs: true } satisfies Record<
    Exclude<keyof LaunchDataflowOptions, keyof ProcessOptions>,
    true
  >),
];

/** @publicApi */
export interface LaunchReport extends DataflowReport {
  /** Exit code or signal of each launched process. */
  readonly processes: readonly ProcessExit[];
}

/**
 * Runs a graph in several processes on this machine. The calling script becomes the process with the coordinator. For
 * every other process of the placement, the launcher runs the same script again, up to this call. The processes
 * communicate over loopback and reject every other client.
 *
 * A signal to any of the processes stops the whole graph at one tag. A process that crashes before the run has ended
 * stops the run by force, unless `onCrash` of its nodes says otherwise: with `'restart'`, the launcher starts the
 * process again.
 *
 * The first process exits with the exit code of the report, or with 1 if the run succeeded but another process did not
 * exit cleanly.
 *
 * @returns in the first process, the report of the run with the exit of every process. In the other processes the
 * promise never settles, and neither does it in a process that a signal shuts down: those processes exit instead.
 * @throws every error about the graph and the options
 *
 * @example
 * ```ts
 * import { Module } from '@nestjs/common';
 * import {
 *   DataflowNode,
 *   Input,
 *   InputPort,
 *   launchDataflow,
 *   OnTimer,
 *   Output,
 *   OutputPort,
 *   Reaction,
 *   span,
 * } from '@roost/dataflow';
 *
 * @DataflowNode()
 * class SourceNode {
 *   @Output() out!: OutputPort<number>;
 *
 *   @OnTimer({ period: span.ms(100) })
 *   tick(): void {
 *     this.out.set(1);
 *   }
 * }
 *
 * @DataflowNode()
 * class SinkNode {
 *   @Input() in!: InputPort<number>;
 *
 *   @Reaction('in')
 *   print(): void {
 *     console.log(process.pid, this.in.value);
 *   }
 * }
 *
 * @Module({ providers: [SourceNode, SinkNode] })
 * class NodesModule {}
 *
 * const report = await launchDataflow({
 *   module: NodesModule,
 *   graph: (g) => g.connect(g.node(SourceNode).out, g.node(SinkNode).in),
 *   placement: { processes: { left: ['source'], right: ['sink'] } },
 *   timeout: span.seconds(10),
 * });
 * console.log(report.status, report.digest);
 * ```
 *
 * @publicApi
 */
export async function launchDataflow(options: LaunchDataflowOptions): Promise<LaunchReport> {
  check.knownKeys(options, LAUNCH_OPTION_NAMES);
  if (options.killAfterMs !== undefined) check.timeout(options.killAfterMs, 'killAfterMs', { least: 0 });
  const { [ENV.process]: launched, [ENV.address]: coordinatorAddress = '', [ENV.token]: token = '' } = process.env;
  if (launched === undefined) return runFirst(options);
  // Children of this process are not part of the run.
  for (const name of Object.values(ENV)) delete process.env[name];
  return runAsOther(options, { process: launched, coordinatorAddress, token });
}

async function runFirst(options: LaunchDataflowOptions): Promise<LaunchReport> {
  const { placement, killAfterMs } = options;
  const first = placement?.coordinator ?? 'coordinator';
  const names = Object.keys(placement?.processes ?? {});
  // Checked now, before any process that needs the module has been started.
  for (const name of names) if (nodesIn(placement, name).length > 0) moduleOf(options.module, name);
  const own = { token: randomUUID(), address: '' };
  const listening = (address: string): void => {
    own.address = address;
    for (const name of names) if (name !== first) group.start(name);
  };
  const app = await createApp(options, { process: first, token: own.token, exit: 'never', listening });
  const dataflow = app.get(Dataflow);
  const shutdown = app.get(CoordinatedShutdown);
  const group = createGroup(placement, dataflow, shutdown, own);
  registerLaunchTasks(shutdown, dataflow, group, killAfterMs);
  await app.listen();
  const report = await dataflow.run();
  const processes = await group.end(killAfterMs ?? DEFAULT_KILL_AFTER_MS);
  await app.close();
  const { exitCode } = await shutdown.terminated;
  if (report.exitCode || exitCode) process.exitCode = report.exitCode || exitCode;
  return { ...report, processes };
}

/** Returns a group that runs this script in other processes. */
function createGroup(
  placement: GraphPlacement,
  dataflow: Dataflow,
  shutdown: CoordinatedShutdown,
  own: { readonly token: string; readonly address: string },
): ProcessGroup {
  const [, file, ...args] = process.argv;
  if (file === undefined) {
    throw new InvalidDataflowOptionError('process.argv[1]', file, 'the script that calls launchDataflow()');
  }
  const { policies } = planProcesses(dataflow.graph, placement);
  return new ProcessGroup({
    logger: dataflow.options.logger,
    clock: dataflow.options.clock,
    fork: (name) => {
      const env = { ...process.env, [ENV.process]: name, [ENV.address]: own.address, [ENV.token]: own.token };
      return fork(file, args, { env, stdio: 'inherit' });
    },
    restarts: (name) => policies.get(name) === 'restart',
    // If the process has not joined, the coordinator cannot learn of the stop in another way.
    leaving: () => void dataflow.requestShutdown().catch(() => undefined),
    lost: ({ process: name }, how) => {
      // A shutdown stops the graph anyway, and the links notice a missing process.
      if (shutdown.reason || policies.get(name) !== 'fail') return;
      void dataflow.forceStop(`process "${name}" exited (${how}) before the run ended`);
    },
  });
}

async function runAsOther(
  options: LaunchDataflowOptions,
  own: Pick<DataflowNodeOptions, 'process' | 'token' | 'coordinatorAddress'>,
): Promise<never> {
  const { placement, crashAfterMs = DEFAULT_PROCESS_OPTIONS.crashAfterMs, shutdown: { signals } = {} } = options;
  if (!Object.hasOwn(placement.processes, own.process)) throw new LaunchedElsewhereError(own.process);
  captureEarlySignals({ ...(signals && { signals }) });
  const self: { dataflow?: Dataflow } = {};
  const isRunning = (): boolean => (self.dataflow?.state ?? 'ready') !== 'ready';
  const end = (why: ProcessTerminateReason): void => {
    if (isRunning()) void self.dataflow!.forceStop(String(why));
    else terminateProcess(why);
  };
  const lifeline = new Lifeline({
    over: () => end(new ProcessTerminateReason('SIGTERM', 'dataflow-ended', 'before this process joined')),
    cut: () => {
      const waitMs = isRunning() ? crashAfterMs + LINK_MARGIN_MS : 0;
      systemClock.setTimer(waitMs, () => end(new ParentGoneReason()));
    },
  });
  const app = await createApp(options, { ...own, exit: 'always' });
  self.dataflow = app.get(Dataflow);
  const shutdown = app.get(CoordinatedShutdown);
  // A signal arrived while the application was being created.
  if (shutdown.reason) lifeline.leave();
  shutdown.events$.subscribe(({ type }) => {
    if (type === 'shutdown.started') lifeline.leave();
  });
  await app.listen();
  // The process exits at the end of its coordinated shutdown.
  return new Promise<never>(() => undefined);
}

async function createApp(
  { module, shutdown, killAfterMs: _, ...rest }: LaunchDataflowOptions,
  own: Pick<DataflowNodeOptions, 'process' | 'token' | 'coordinatorAddress' | 'exit' | 'listening'>,
): Promise<INestMicroservice> {
  const { NestFactory } = await import('@nestjs/core');
  const imports: NestModule[] = [
    CoordinatedShutdownModule.forRoot(shutdown),
    DataflowModule.forNode({ ...rest, ...own, transport: tcp() }),
  ];
  if (nodesIn(rest.placement, own.process).length > 0) imports.push(moduleOf(module, own.process));
  class LaunchedModule {}
  const app = await NestFactory.createMicroservice(
    { module: LaunchedModule, imports },
    { ...dataflowMicroservice(), abortOnError: false },
  );
  enableCoordinatedShutdown(app);
  return app;
}

/** Tolerates an invalid placement: it is checked later, together with the graph. */
const nodesIn = (placement: GraphPlacement | undefined, process: string): readonly string[] =>
  Object.hasOwn(placement?.processes ?? {}, process) ? placement!.processes[process]! : [];

function moduleOf(module: LaunchDataflowOptions['module'], process: string): NestModule {
  if (typeof module === 'function' || 'module' in module) return module as NestModule;
  const own = Object.hasOwn(module, process) ? module[process] : undefined;
  if (!own)
    throw new InvalidDataflowOptionError(
      'module',
      Object.keys(module),
      `an object with a module for process "${process}"`,
    );
  return own;
}
