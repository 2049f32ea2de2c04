import { TerminusModule } from '@nestjs/terminus';
import { ManualClock } from '@roost/time/testing';
import { PathRecordingLogger, settle } from './core/actor-system.fixture.js';
import {
  Actor,
  type ActorRef,
  ActorSystem,
  ActorSystemModule,
  Behavior,
  getActorSystemToken,
  getActorToken,
  Kill,
  Receive,
  Suspend,
} from './index.js';
import { Apps } from './nest-app.fixture.js';
import { ActorSystemHealthIndicator } from './terminus.js';
import { UnknownActorSystemError } from './errors/unknown-actor-system.error.js';

const apps = new Apps();
afterEach(() => apps.closeAll());

class Fail {}

@Actor({ spawn: 'bootstrap' })
class CartActor {
  @Receive(Fail) fail(): void {
    throw new Error('no');
  }
}

async function start() {
  const clock = new ManualClock();
  const app = await apps.context({
    actors: { clock },
    imports: [
      TerminusModule.forRoot({ logger: false }),
      ActorSystemModule.forFeature([CartActor]),
      ActorSystemModule.forRoot({ name: 'billing', logger: new PathRecordingLogger() }),
    ],
    providers: [ActorSystemHealthIndicator],
  });
  const cart = await app.resolve<ActorRef>(getActorToken(CartActor));
  return { app, clock, cart, system: app.get(ActorSystem), indicator: app.get(ActorSystemHealthIndicator) };
}

const QUIET = { actors: 1, restarts: 0, deepestMailbox: null, deadLetters: 0 };

describe('ActorSystemHealthIndicator', () => {
  it('is up, with its counts', async () => {
    const { indicator, system } = await start();
    expect(indicator.isHealthy()).toEqual({ actors: { status: 'up', ...QUIET } });

    const parent = system.spawn(
      Behavior.setup<string>((ctx) => {
        ctx
          .spawn(
            Behavior.receive(() => undefined),
            'child',
          )
          .tell(Suspend);
        return Behavior.receive(() => Behavior.unhandled());
      }),
      'parent',
    );
    await settle();
    const child = system.lookup('/user/parent/child')!;
    for (const message of ['a', 'b', 'c']) child.tell(message);
    parent.tell('unknown');
    await settle();

    expect(indicator.isHealthy('shop')).toEqual({
      shop: {
        status: 'up',
        actors: 3,
        restarts: 0,
        deepestMailbox: { path: '/user/parent/child', size: 3 },
        deadLetters: 1,
      },
    });
  });

  it('is down when the system is stopping or has stopped', async () => {
    const { indicator, system } = await start();

    const ended = system.shutdown();
    expect(indicator.isHealthy()).toEqual({ actors: { status: 'down', ...QUIET, state: 'stopping' } });
    await ended;
    expect(indicator.isHealthy()).toEqual({ actors: { status: 'down', ...QUIET, actors: 0, state: 'stopped' } });
  });

  it('is down when a top-level actor from the boot has stopped, but not for other actors', async () => {
    const { indicator, system, cart } = await start();
    const other = system.spawn(CartActor);
    other.tell(Kill);
    await other.whenTerminated();
    expect(indicator.isHealthy()).toMatchObject({ actors: { status: 'up' } });

    cart.tell(Kill);
    await cart.whenTerminated();
    await settle();
    expect(indicator.isHealthy()).toMatchObject({ actors: { status: 'down', ended: ['/user/cart'] } });
  });

  it('is degraded when a mailbox is deeper than allowed', async () => {
    const { indicator, cart } = await start();
    cart.tell(Suspend);
    for (let i = 0; i < 3; i++) cart.tell(new Fail());

    expect(indicator.isHealthy('actors', { maxMailbox: 3 })).toMatchObject({ actors: { status: 'up' } });
    expect(indicator.isHealthy('actors', { maxMailbox: 2 })).toMatchObject({
      actors: { status: 'degraded', deepestMailbox: { path: '/user/cart', size: 3 }, exceeded: ['maxMailbox'] },
    });
  });

  it('is degraded for a minute when actors restart more often than allowed', async () => {
    const { indicator, cart, clock, system } = await start();
    const status = () => indicator.isHealthy('it', { maxRestartsPerMinute: 2 })['it']?.status;
    const failTimes = async (times: number): Promise<void> => {
      for (let i = 0; i < times; i++) cart.tell(new Fail());
      await settle();
    };
    expect(status()).toBe('up');

    await failTimes(2);
    expect(status()).toBe('up');
    await failTimes(1);
    expect([status(), system.restarts]).toEqual(['degraded', 3]);
    for (let second = 5; second < 60; second += 5) {
      await clock.advanceAsync(5_000);
      expect([second, status()]).toEqual([second, 'degraded']);
    }
    await clock.advanceAsync(10_000);
    expect(status()).toBe('up');
    await failTimes(3);
    expect(status()).toBe('degraded');
  });

  it('checks the system with the given name', async () => {
    const { app, indicator } = await start();
    await app.get<ActorSystem>(getActorSystemToken('billing')).shutdown();

    expect(indicator.isHealthy('billing', { system: 'billing' })).toMatchObject({ billing: { status: 'down' } });
    expect(indicator.isHealthy()).toMatchObject({ actors: { status: 'up' } });
    expect(() => indicator.isHealthy('x', { system: 'nope' })).toThrow(UnknownActorSystemError);
    expect(() => indicator.isHealthy('x', { system: 'nope' })).toThrow('only these exist: default, billing');
  });
});
