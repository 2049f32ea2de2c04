import { systemClock } from '@roost/time';
import { ManualClock } from '@roost/time/testing';
import { ActorSystem } from './actor-system.js';
import { InvalidActorOptionError } from './errors/invalid-actor-option.error.js';
import { type ActorSystemOptions, DEFAULT_ACTOR_SYSTEM_OPTIONS, resolveActorSystemOptions } from './options.js';

describe('resolveActorSystemOptions', () => {
  it('has the documented defaults', () => {
    expect(DEFAULT_ACTOR_SYSTEM_OPTIONS).toMatchObject({
      name: 'default',
      shutdownTimeoutMs: 10_000,
      askTimeoutMs: 5_000,
      deadLetterBuffer: 100,
      logDeadLetters: 10,
    });
    const { logger: _, ...defaults } = DEFAULT_ACTOR_SYSTEM_OPTIONS;
    expect(resolveActorSystemOptions()).toMatchObject(defaults);
    expect(defaults.clock).toBe(systemClock);
    expect(defaults.random).toBe(Math.random);
    expect(Object.keys(DEFAULT_ACTOR_SYSTEM_OPTIONS.logger)).toEqual(['log', 'warn', 'error']);
  });

  it('restarts an actor ten times a minute by default', () => {
    const afterRestarts = (count: number) =>
      DEFAULT_ACTOR_SYSTEM_OPTIONS.supervision.decide({
        error: new Error('boom'),
        actor: null as never,
        restarts: { count, within: (windowMs) => (windowMs === 60_000 ? count : NaN), inARow: () => NaN },
        random: () => 0,
        canResume: true,
        canEscalate: true,
      });

    expect(afterRestarts(9)).toEqual({ directive: 'restart', delayMs: 0 });
    expect(afterRestarts(10)).toMatchObject({ directive: 'stop' });
  });

  it('uses the given options, and defaults for undefined ones', () => {
    const clock = new ManualClock();
    const given: ActorSystemOptions = { name: 'shop', clock, shutdownTimeoutMs: 5, deadLetterBuffer: 0 };

    expect(resolveActorSystemOptions({ ...given, askTimeoutMs: undefined as never })).toMatchObject({
      ...given,
      askTimeoutMs: 5_000,
    });
  });

  it.each<[string, unknown]>([
    ['name', ''],
    ['name', '  '],
    ['name', 5],
    ['name', null],
    ['shutdownTimeoutMs', 0],
    ['shutdownTimeoutMs', Infinity],
    ['askTimeoutMs', -1],
    ['askTimeoutMs', '5'],
    ['deadLetterBuffer', -1],
    ['deadLetterBuffer', 1.5],
    ['deadLetterBuffer', 2_000_000],
    ['logDeadLetters', -1],
    ['logDeadLetters', NaN],
    ['supervision', {}],
    ['supervision', null],
    ['random', 0.5],
    ['random', null],
    ['propsOfClass', {}],
    ['clock', {}],
    ['clock', null],
    ['logger', {}],
    ['logger', null],
  ])('rejects %s: %p', (option, value) => {
    const make = (): unknown => new ActorSystem({ [option]: value });

    expect(make).toThrow(InvalidActorOptionError);
    expect(make).toThrow(`Actor option \`${option}\``);
  });

  it('rejects an unknown option', () => {
    expect(() => new ActorSystem({ askTimeout: 5 } as never)).toThrow('Actor option `ActorSystem.askTimeout` is set');
  });

  it('rejects a value that is not an options object', () => {
    expect(() => new ActorSystem(null as never)).toThrow(InvalidActorOptionError);
  });
});
