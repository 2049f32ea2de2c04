import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { RecordingLogger } from '@roost/kernel/testing';
import {
  ActorSystemTerminateReason,
  CoordinatedShutdown,
  type CoordinatedShutdownOptions,
  enableCoordinatedShutdown,
  Phase,
  type ShutdownReport,
} from '@roost/shutdown';
import { ManualClock } from '@roost/time/testing';
import { PathRecordingLogger, settle } from './core/actor-system.fixture.js';
import {
  Actor,
  type ActorRef,
  ActorsForcedError,
  ActorSystem,
  ActorSystemModule,
  type ActorSystemModuleOptions,
  Behavior,
  getActorSystemToken,
  InjectActor,
  OnSignal,
  PostStop,
  Props,
  Receive,
} from './index.js';
import { type AppMetadata, Apps } from './nest-app.fixture.js';
import { progressText } from './core/shutdown-tasks.js';

const apps = new Apps();
afterEach(() => apps.closeAll());

let events: string[] = [];
beforeEach(() => (events = []));

class Work {}
class Hang {}
class Stop {}

@Actor({ name: 'worker' })
class WorkerActor {
  @Receive(Work) async work(): Promise<void> {
    await settle(1);
    events.push('worked');
  }
  @Receive(Hang) hang(): Promise<void> {
    return new Promise(() => undefined);
  }
  @Receive(Stop) end(): Behavior<unknown> {
    events.push('told to stop');
    return Behavior.stopped();
  }
  @OnSignal(PostStop) stop(): void {
    events.push('stopped');
  }
}

/** A database that closes itself in a Nest hook, as most do. */
@Injectable()
class Database implements OnModuleDestroy {
  onModuleDestroy(): void {
    events.push('database closed');
  }
}

interface Started {
  app: Awaited<ReturnType<Apps['context']>>;
  shutdown: CoordinatedShutdown;
  system: ActorSystem;
  worker: ActorRef;
  clock: ManualClock;
  lines: RecordingLogger;
  logger: PathRecordingLogger;
}

/** An application with a coordinated shutdown; both use one clock. */
async function start(
  actors: ActorSystemModuleOptions = {},
  options: CoordinatedShutdownOptions = {},
  metadata: AppMetadata = {},
): Promise<Started> {
  const [clock, lines, logger] = [new ManualClock(), new RecordingLogger(), new PathRecordingLogger()];
  const app = await apps.context({
    actors: { clock, logger, ...actors },
    shutdown: { clock, logger: lines, ...options },
    imports: [ActorSystemModule.forFeature([WorkerActor])],
    providers: [Database],
    ...metadata,
  });
  enableCoordinatedShutdown(app);
  const system = app.get(ActorSystem);
  return {
    app,
    shutdown: app.get(CoordinatedShutdown),
    system,
    worker: system.spawn(WorkerActor),
    clock,
    lines,
    logger,
  };
}

const taskIn = (report: ShutdownReport, name = 'actor-system-terminate') =>
  report.phases.flatMap(({ tasks }) => tasks).find((task) => task.name === name);

describe('an actor system in a coordinated shutdown', () => {
  it('stops in the last phase, draining mailboxes while databases are still open (Akka 18)', async () => {
    const { app, system, worker, logger } = await start();
    worker.tell(new Work());
    worker.tell(new Work());

    await app.close();

    expect(events).toEqual(['worked', 'worked', 'stopped', 'database closed']);
    expect(system.state).toBe('stopped');
    expect(logger.lines.at(-1)).toBe('log: default: all actors stopped in 0 ms; 0 dead letters since startup');
  });

  it('stops in a task of the phase actor-system-terminate', async () => {
    const { shutdown, system } = await start();

    const report = await shutdown.run();

    expect(report).toMatchObject({ status: 'completed', exitCode: 0 });
    expect(report.phases.find(({ name }) => name === Phase.ActorSystemTerminate)?.tasks).toMatchObject([
      { name: 'actor-system-terminate', status: 'completed' },
    ]);
    expect(system.state).toBe('stopped');
  });

  it('has one task per system, and all systems stop concurrently', async () => {
    const imports = [ActorSystemModule.forRoot({ name: 'billing', logger: new PathRecordingLogger() })];
    const { app, shutdown } = await start(
      {},
      {},
      { imports: [...imports, ActorSystemModule.forFeature([WorkerActor])] },
    );

    const report = await shutdown.run();

    for (const name of ['actor-system-terminate', 'actor-system-terminate-billing']) {
      expect(taskIn(report, name)).toMatchObject({ status: 'completed' });
    }
    expect(app.get<ActorSystem>(getActorSystemToken('billing')).state).toBe('stopped');
  });

  it('names stuck actors at the deadline, continues the shutdown, and sets a non-zero exit code', async () => {
    const { app, shutdown, system, worker, clock } = await start({ shutdownTimeoutMs: 3_000 });
    worker.tell(new Hang());
    worker.tell(new Work());
    await settle();

    const run = shutdown.run();
    await clock.advanceAsync(2_999);
    expect(system.state).toBe('stopping');
    await clock.advanceAsync(1);
    const report = await run;

    expect(report).toMatchObject({ status: 'failed', exitCode: 1 });
    expect(taskIn(report)).toMatchObject({
      status: 'failed',
      error: {
        code: 'ACTORS_FORCED',
        message: expect.stringContaining(
          `1 actor was force-stopped in system "default" after 3 s: stuck: ${worker.path} (Hang).`,
        ),
      },
    });
    expect(system.recentDeadLetters()).toMatchObject([{ message: new Work(), reason: 'stopped' }]);
    await app.close();
    expect(events).toEqual(['stopped', 'database closed']);
  });

  it('uses at most the remaining time of its phase', async () => {
    const phases = { [Phase.ActorSystemTerminate]: { timeoutMs: 1_000 } };
    const { shutdown, worker, clock, lines } = await start({ shutdownTimeoutMs: 5_000 }, { phases });
    expect(lines.lines).toContainEqual(expect.stringContaining('ActorSystemModule may need 5 s. Actors still running'));
    worker.tell(new Hang());
    await settle();

    const run = shutdown.run();
    await clock.advanceAsync(900);

    expect(taskIn(await run)).toMatchObject({ status: 'failed', durationMs: 900, error: { code: 'ACTORS_FORCED' } });
  });

  it('gives up at once when its phase has no time left', async () => {
    const phases = { [Phase.ActorSystemTerminate]: { timeoutMs: 50 } };
    const { shutdown, worker, clock } = await start({}, { phases });
    worker.tell(new Hang());
    await settle();

    const run = shutdown.run();
    await clock.advanceAsync(1);

    expect(taskIn(await run)).toMatchObject({ status: 'failed', error: { code: 'ACTORS_FORCED' } });
  });

  it('extends the phase to the longest timeout of its systems', async () => {
    const imports = [
      ActorSystemModule.forRoot({ name: 'quick', shutdownTimeoutMs: 10, logger: new PathRecordingLogger() }),
    ];
    const { shutdown, lines } = await start(
      { shutdownTimeoutMs: 20_000 },
      {},
      { imports: [...imports, ActorSystemModule.forFeature([WorkerActor])] },
    );

    const phase = shutdown.describe().find(({ name }) => name === Phase.ActorSystemTerminate);
    expect(phase).toMatchObject({ timeoutMs: 20_100 });
    expect(phase?.tasks).toMatchObject([
      { name: 'actor-system-terminate', timeoutMs: 20_100, declaredBy: 'ActorSystemModule' },
      { name: 'actor-system-terminate-quick', timeoutMs: 110 },
    ]);
    expect(lines.lines.filter((line) => line.includes('may need'))).toEqual([]);
  });

  it('reports remaining actors and messages in progress lines', async () => {
    const { shutdown, worker, clock, lines } = await start();
    for (const message of [new Hang(), new Work(), new Work()]) worker.tell(message);
    await settle();

    const run = shutdown.run();
    await clock.advanceAsync(1_500);
    expect(lines.lines).toContainEqual(expect.stringMatching(/1 actor and \d messages remaining/));
    await clock.advanceAsync(10_000);
    await run;
  });

  it('is not stopped twice when the application has stopped it already', async () => {
    const { app, shutdown, system } = await start();
    await system.shutdown();

    await app.close();

    expect(events).toEqual(['stopped', 'database closed']);
    expect(taskIn(await shutdown.run())).toMatchObject({ status: 'completed' });
  });

  it("is stopped by Nest's hooks when the phases did not reach it", async () => {
    const phases = { [Phase.ServiceStop]: { recover: false } };
    const { app, shutdown, system } = await start({}, { phases });
    shutdown.addTask(Phase.ServiceStop, 'fail', () => Promise.reject(new Error('no')));

    await app.close();

    expect(await shutdown.run()).toMatchObject({ status: 'aborted' });
    expect(system.state).toBe('stopped');
  });
});

describe('ActorSystem.terminate()', () => {
  it('runs the shutdown with its own reason (Akka 19)', async () => {
    const { shutdown, system, worker } = await start();
    worker.tell(new Work());

    await system.terminate();

    expect(shutdown.reason).toBeInstanceOf(ActorSystemTerminateReason);
    expect(await shutdown.run()).toMatchObject({ reason: 'actor-system-terminate', status: 'completed' });
    expect([system.state, events]).toEqual(['stopped', ['worked', 'stopped']]);
  });

  it('returns the same run when called again or after the shutdown began', async () => {
    const { shutdown, system } = await start();
    const run = shutdown.run();

    await Promise.all([system.terminate(), system.terminate()]);

    expect(await run).toMatchObject({ status: 'completed', reason: 'unknown' });
  });

  it('stops only the system when runShutdownOnTerminate is false (Akka 20)', async () => {
    const { shutdown, system } = await start({ runShutdownOnTerminate: false });

    await system.terminate();

    expect(system.state).toBe('stopped');
    expect(shutdown.state).toBe('running');
  });

  it('stops only the system without a coordinated shutdown', async () => {
    const app = await apps.context({});
    const system = app.get(ActorSystem);

    await system.terminate();

    expect(system.state).toBe('stopped');
  });

  it('stops everything in order when a handler calls it without awaiting it', async () => {
    const { shutdown, system } = await start();
    const ref = system.spawn(Behavior.receive<string>((ctx) => void ctx.system.terminate()));

    ref.tell('end');
    await ref.whenTerminated();

    expect(await shutdown.run()).toMatchObject({ status: 'completed', reason: 'actor-system-terminate' });
  });

  it('does not hang when a handler awaits it: the actor is named and force-stopped at the deadline', async () => {
    const { shutdown, system, clock } = await start({ shutdownTimeoutMs: 1_000 });
    const ref = system.spawn(
      Behavior.receive<string>(async (ctx) => {
        await ctx.system.terminate();
      }),
      'waits-for-itself',
    );

    ref.tell('end');
    await clock.advanceAsync(1_000);

    expect(taskIn(await shutdown.run())).toMatchObject({
      status: 'failed',
      error: { message: expect.stringContaining('stuck: /user/waits-for-itself (string)') as string },
    });
  });

  it('fails only the shutdown task that awaits it', async () => {
    const { shutdown, system } = await start();
    shutdown.addTask(Phase.ServiceStop, 'awaits', async () => {
      await system.terminate();
    });
    shutdown.addTask(Phase.ServiceStop, 'does-not', async () => {
      void system.terminate();
      await settle(1);
    });

    const report = await shutdown.run();

    expect(taskIn(report, 'awaits')).toMatchObject({ status: 'failed', error: { code: 'SHUTDOWN_AWAITED_IN_TASK' } });
    expect(taskIn(report, 'does-not')).toMatchObject({ status: 'completed' });
    expect(taskIn(report)).toMatchObject({ status: 'completed' });
  });
});

describe('addActorTerminationTask', () => {
  const phase = Phase.ServiceStop;

  it('sends the stop message and waits until the actor has stopped (Akka 27)', async () => {
    const { shutdown, worker } = await start();
    worker.tell(new Work());
    shutdown.addActorTerminationTask(phase, 'end-worker', worker, new Stop());
    shutdown.addTask(Phase.BeforeClusterShutdown, 'next', () => void events.push('next phase'));

    await shutdown.run();

    expect(events).toEqual(['worked', 'told to stop', 'stopped', 'next phase']);
  });

  it('stops the actor when there is no stop message (Akka 28)', async () => {
    const { shutdown, worker } = await start();
    worker.tell(new Work());
    shutdown.addActorTerminationTask(phase, 'end-worker', worker);
    shutdown.addTask(Phase.BeforeClusterShutdown, 'next', () => void events.push('next phase'));

    await shutdown.run();

    expect(events).toEqual(['worked', 'stopped', 'next phase']);
  });

  it.each([[undefined], [new Stop()]])(
    'completes for an actor that has already stopped (Akka 29, %p)',
    async (message) => {
      const { shutdown, worker } = await start();
      worker.stop();
      await worker.whenTerminated();
      shutdown.addActorTerminationTask(phase, 'end-worker', worker, message);

      expect(taskIn(await shutdown.run(), 'end-worker')).toMatchObject({ status: 'completed' });
    },
  );

  it.each([[undefined], [new Stop()]])(
    'completes for the same actor twice in a phase (Akka 30, %p)',
    async (message) => {
      const { shutdown, worker } = await start();
      shutdown.addActorTerminationTask(phase, 'first', worker, message);
      shutdown.addActorTerminationTask(phase, 'second', worker, message);

      const report = await shutdown.run();

      for (const name of ['first', 'second']) expect(taskIn(report, name)).toMatchObject({ status: 'completed' });
      expect(events.filter((event) => event === 'stopped')).toHaveLength(1);
    },
  );

  it.each([[undefined], [new Stop()]])('completes for the same actor in two phases (Akka 31, %p)', async (message) => {
    const { shutdown, worker } = await start();
    shutdown.addActorTerminationTask(phase, 'first', worker, message);
    shutdown.addActorTerminationTask(Phase.BeforeActorSystemTerminate, 'second', worker, message);

    const report = await shutdown.run();

    for (const name of ['first', 'second']) expect(taskIn(report, name)).toMatchObject({ status: 'completed' });
    expect(events.filter((event) => event === 'stopped')).toHaveLength(1);
  });

  it('times out with its phase when the actor hangs; the actor is force-stopped at the end', async () => {
    const { shutdown, worker, clock } = await start({ shutdownTimeoutMs: 1_000 });
    worker.tell(new Hang());
    shutdown.addActorTerminationTask(phase, 'end-worker', worker);

    const run = shutdown.run();
    await clock.advanceAsync(6_000);
    const report = await run;

    expect(taskIn(report, 'end-worker')).toMatchObject({ status: 'timed-out' });
    expect(taskIn(report)).toMatchObject({ status: 'failed', error: { code: 'ACTORS_FORCED' } });
  });
});

describe('an actor system without a coordinated shutdown', () => {
  it('stops on app.close() after draining its mailboxes', async () => {
    @Injectable()
    class Service {
      constructor(@InjectActor(WorkerActor) readonly worker: ActorRef) {}
    }
    const logger = new PathRecordingLogger();
    const imports = [ActorSystemModule.forFeature([WorkerActor])];
    const app = await apps.context({ actors: { logger }, imports, providers: [Service] });
    const { worker } = app.get(Service);
    worker.tell(new Work());

    await app.close();

    expect(events).toEqual(['worked', 'stopped']);
    expect(app.get(ActorSystem).state).toBe('stopped');
    expect(logger.lines.at(-1)).toMatch(/^log: default: all actors stopped in .* ms;/);
  });

  it('stops together with other systems, even if actors of one are stuck', async () => {
    const clock = new ManualClock();
    const billing = ActorSystemModule.forRoot({ name: 'billing', logger: new PathRecordingLogger() });
    const app = await apps.context({
      actors: { clock, shutdownTimeoutMs: 1_000 },
      imports: [billing, ActorSystemModule.forFeature([WorkerActor])],
    });
    const worker = app.get(ActorSystem).spawn(WorkerActor);
    worker.tell(new Hang());
    await settle();

    const closed = app.close().catch((error: unknown) => error);
    await clock.advanceAsync(1_000);
    await closed;

    expect(app.get(ActorSystem).state).toBe('stopped');
    expect(app.get<ActorSystem>(getActorSystemToken('billing')).state).toBe('stopped');
  });
});

describe('ActorsForcedError', () => {
  it('names at most ten stuck and ten unfinished actors', () => {
    const paths = Array.from({ length: 12 }, (_, index) => `/user/a${index}`);
    const stuck = [{ path: '/user/a0', handling: 'Work' }];
    const report = { status: 'forced', durationMs: 1_500, forced: paths, stuck, deadLetters: 0 } as const;

    const error = new ActorsForcedError('shop', { ...report, forced: [...paths], stuck: [...stuck] });

    expect(error.message).toContain(
      '12 actors were force-stopped in system "shop" after 1.5 s: stuck: /user/a0 (Work); not finished: ' +
        `${paths.slice(1, 11).join(', ')} and 1 more.`,
    );
    expect(error.report.forced).toHaveLength(12);
  });
});

describe('progressText', () => {
  it('counts actors on all levels and their messages', () => {
    const system = new ActorSystem({ logger: new PathRecordingLogger() });
    const leaf = Behavior.receive<string>(() => undefined);
    const parent = Behavior.setup<string>((ctx) => {
      ctx.spawn(leaf, 'child');
      return leaf;
    });
    expect(progressText(system)).toBe('0 actors and 0 messages remaining');
    const refs = [system.spawn(Props.of(parent)), system.spawn(leaf)];
    for (const ref of refs) ref.tell('x');

    expect(progressText(system)).toBe('2 actors and 2 messages remaining');
  });
});
