import { Inject, Injectable, Module } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import {
  Actor,
  type ActorContext,
  type ActorRef,
  ActorSystem,
  ActorSystemModule,
  getActorSystemToken,
  InjectActor,
  InvalidActorOptionError,
  Receive,
} from '@roost/actors';
import { RecordingLogger } from '@roost/kernel/testing';
import { systemClock } from '@roost/time';
import { ManualClock } from '@roost/time/testing';
import { ManualClockMissingError } from './errors/manual-clock-missing.error.js';
import { Ping, Pong } from './messages.fixture.js';
import * as api from './nest.js';
import { actorTestKitOf, createActorTestingModule, overrideActor, useManualClock } from './nest.js';

class Remind {
  constructor(
    readonly to: ActorRef<string>,
    readonly afterMs: number,
  ) {}
}

const GREETING = 'greeting';

@Actor()
class ReminderActor {
  constructor(@Inject(GREETING) private readonly greeting: string) {}

  @Receive(Remind)
  remind({ to, afterMs }: Remind, ctx: ActorContext): void {
    ctx.system.scheduler.once(afterMs, () => to.tell(this.greeting));
  }

  @Receive(Ping)
  async ping({ n }: Ping): Promise<Pong> {
    return new Pong(n);
  }
}

@Injectable()
class Service {
  constructor(@InjectActor(ReminderActor) readonly reminder: ActorRef) {}

  async pingPlusOne(n: number): Promise<number> {
    const pong = await this.reminder.ask<Pong>(() => new Ping(n));
    return pong.n + 1;
  }
}

@Module({
  imports: [ActorSystemModule.forFeature([ReminderActor])],
  providers: [Service, { provide: GREETING, useValue: 'hello' }],
  exports: [Service],
})
class FeatureModule {}

const logger = new RecordingLogger();
const systemModule = (options: object = {}) => ActorSystemModule.forRoot({ logger, ...options });

const opened: { close(): Promise<void> }[] = [];
const track = <T extends { close(): Promise<void> }>(app: T): T => {
  opened.push(app);
  return app;
};
afterEach(async () => {
  for (const app of opened.splice(0)) await app.close();
});

const compiled = async (module: Promise<TestingModule>): Promise<TestingModule> => track(await (await module).init());

describe('@roost/testkit/nest', () => {
  it('exports these names and no others', () => {
    expect(Object.keys(api).sort()).toEqual([
      'ActorNotInjectedError',
      'actorTestKitOf',
      'createActorTestingModule',
      'overrideActor',
      'useManualClock',
    ]);
  });
});

describe('useManualClock', () => {
  it("runs the application's system on a manual clock and keeps its other options", async () => {
    const builder = Test.createTestingModule({ imports: [systemModule({ clock: systemClock, askTimeoutMs: 7 })] });

    const clock = useManualClock(builder);

    const { options } = (await compiled(builder.compile())).get(ActorSystem);
    expect(clock).toBeInstanceOf(ManualClock);
    expect(options).toMatchObject({ clock, askTimeoutMs: 7, name: 'default' });
  });

  it('accepts a clock, and uses it for every system, even those with asynchronous options', async () => {
    const clock = new ManualClock();
    const other = ActorSystemModule.forRootAsync({ name: 'other', useFactory: () => ({ logger, askTimeoutMs: 8 }) });
    const builder = Test.createTestingModule({ imports: [systemModule(), other] });

    expect(useManualClock(builder, clock)).toBe(clock);

    const module = await compiled(builder.compile());
    expect(module.get(ActorSystem).options).toMatchObject({ name: 'default', clock });
    expect(module.get(getActorSystemToken('other')).options).toMatchObject({ name: 'other', clock, askTimeoutMs: 8 });
  });

  it('lets the module reject invalid options', async () => {
    const builder = Test.createTestingModule({ imports: [systemModule({ askTimeoutMs: -1 })] });
    useManualClock(builder);

    await expect(builder.compile()).rejects.toThrow(InvalidActorOptionError);
  });
});

describe('actorTestKitOf', () => {
  it("provides probes and time for an application's system", async () => {
    const builder = Test.createTestingModule({ imports: [systemModule(), FeatureModule] });
    const clock = useManualClock(builder);
    const module = await compiled(builder.compile());
    const kit = actorTestKitOf(module);
    const probe = kit.createProbe<string>();

    module.get(Service, { strict: false }).reminder.tell(new Remind(probe.ref, 60_000));

    await kit.expectNoMessageFor(59_999, probe);
    await probe.expectMessage('hello', { within: 1 });
    expect(kit.clock).toBe(clock);
  });

  it('finds a system by its name', async () => {
    const builder = Test.createTestingModule({ imports: [systemModule(), systemModule({ name: 'other' })] });
    useManualClock(builder);
    const module = await compiled(builder.compile());

    expect(actorTestKitOf(module, { system: 'other' }).system.name).toBe('other');
    expect(actorTestKitOf(module).system.name).toBe('default');
  });

  it('rejects a system on a real clock, and names the function to call', async () => {
    const module = await compiled(Test.createTestingModule({ imports: [systemModule()] }).compile());

    expect(() => actorTestKitOf(module)).toThrow(ManualClockMissingError);
    expect(() => actorTestKitOf(module)).toThrow('useManualClock(builder)');
  });
});

describe('overrideActor', () => {
  it('injects a probe in place of the actor, which is not spawned', async () => {
    const builder = Test.createTestingModule({ imports: [systemModule(), FeatureModule] });
    useManualClock(builder);
    const reminder = overrideActor<Ping>(builder, ReminderActor);
    const module = await compiled(builder.compile());
    const kit = actorTestKitOf(module);

    const result = module.get(Service, { strict: false }).pingPlusOne(1);
    await reminder.probe.expectMessage(new Ping(1));
    reminder.probe.reply(new Pong(41));

    expect(await kit.resolve(result)).toBe(42);
    expect(kit.system.lookup('/user/reminder')).toBeUndefined();
  });

  it('injects the same probe everywhere', async () => {
    @Injectable()
    class Other {
      constructor(@InjectActor(ReminderActor) readonly reminder: ActorRef) {}
    }
    @Module({
      imports: [ActorSystemModule.forFeature([ReminderActor])],
      providers: [Other, { provide: GREETING, useValue: '' }],
    })
    class OtherModule {}
    const builder = Test.createTestingModule({ imports: [systemModule(), FeatureModule, OtherModule] });
    useManualClock(builder);
    const override = overrideActor(builder, ReminderActor);
    const module = await compiled(builder.compile());

    const refs = [Service, Other].map((type) => module.get<Service | Other>(type, { strict: false }).reminder);
    expect(refs.map((ref) => ref === override.probe.ref)).toEqual([true, true]);
    expect(override.probe.ref.path).toBe('/user/probe-ReminderActor');
  });

  it('replaces the actor of a named system', async () => {
    @Injectable()
    class Named {
      constructor(@InjectActor(ReminderActor, 'other') readonly reminder: ActorRef) {}
    }
    const builder = Test.createTestingModule({
      imports: [
        systemModule(),
        systemModule({ name: 'other' }),
        ActorSystemModule.forFeature([ReminderActor], 'other'),
      ],
      providers: [Named, { provide: GREETING, useValue: '' }],
    });
    useManualClock(builder);
    const override = overrideActor(builder, ReminderActor, { system: 'other' });
    const module = await compiled(builder.compile());

    expect(module.get(Named).reminder).toBe(override.probe.ref);
    expect(module.get(getActorSystemToken('other')).lookup(override.probe.ref.path)).toBe(override.probe.ref);
  });

  it('has no probe until something injects the actor', async () => {
    const builder = Test.createTestingModule({
      imports: [systemModule(), ActorSystemModule.forFeature([ReminderActor])],
      providers: [{ provide: GREETING, useValue: '' }],
    });
    useManualClock(builder);
    const override = overrideActor(builder, ReminderActor);
    await compiled(builder.compile());

    expect(() => override.probe).toThrow(
      expect.objectContaining({ code: 'TESTKIT_ACTOR_NOT_INJECTED', actor: 'ReminderActor' }) as Error,
    );
  });
});

describe('createActorTestingModule', () => {
  it('has running actors and a kit', async () => {
    const { module, kit } = track(await createActorTestingModule({ imports: [FeatureModule] }));

    expect(await kit.resolve(module.get(Service, { strict: false }).pingPlusOne(1))).toBe(2);
    expect(kit.clock.monotonic()).toBe(0);
  });

  it('accepts options of the system, the module and the kit, and overrides', async () => {
    const clock = new ManualClock();
    const { module, kit } = track(
      await createActorTestingModule({
        actors: { askTimeoutMs: 9 },
        clock,
        imports: [FeatureModule],
        providers: [{ provide: 'own', useValue: 5 }],
        override: (builder) => void builder.overrideProvider(GREETING).useValue('bye'),
      }),
    );
    const probe = kit.createProbe<string>();

    module.get(Service, { strict: false }).reminder.tell(new Remind(probe.ref, 10));

    await probe.expectMessage('bye', { within: 10 });
    expect(kit.clock).toBe(clock);
    expect(kit.system.options.askTimeoutMs).toBe(9);
    expect(module.get('own')).toBe(5);
  });

  it('uses the system of the imports with actors: false', async () => {
    const { kit } = track(await createActorTestingModule({ actors: false, imports: [systemModule({ name: 'shop' })] }));

    expect(kit.system.name).toBe('shop');
  });

  it('closes even if a handler never settles', async () => {
    @Actor()
    class StuckActor {
      @Receive(Ping)
      ping(): Promise<void> {
        return new Promise(() => undefined);
      }
    }
    const app = await createActorTestingModule({
      imports: [ActorSystemModule.forFeature([StuckActor])],
      realTimeoutMs: 1,
    });
    app.kit.spawn<Ping>(StuckActor, 'stuck').tell(new Ping(1));
    await app.kit.settle();

    await app.close();

    expect(app.kit.system.state).toBe('stopped');
    expect(await app.kit.shutdown()).toMatchObject({ status: 'forced', stuck: [{ path: '/user/stuck' }] });
  });
});
