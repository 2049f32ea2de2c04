import { recorder } from './actor-system.fixture.js';
import { Behavior } from './behavior.js';
import { InvalidActorOptionError } from './errors/invalid-actor-option.error.js';
import { InvalidBehaviorError } from './errors/invalid-behavior.error.js';
import { internalsOf } from './internals.js';
import { bounded, unbounded } from './mailbox/mailbox-options.js';
import { Props, propsOf } from './props.js';
import { oneForOne } from './supervision/one-for-one.strategy.js';

describe('Props.of', () => {
  it('has the documented defaults', () => {
    const props = Props.of(recorder());

    expect(props).toMatchObject({ stashCapacity: 1_000, interceptors: [] });
    const { mailbox, supervision, childSupervision, throttle } = internalsOf(props);
    expect(mailbox).toBe(unbounded());
    expect([supervision, childSupervision, throttle]).toEqual([undefined, undefined, undefined]);
  });

  it('uses the given options', () => {
    const options = {
      mailbox: bounded(5),
      supervision: oneForOne(),
      childSupervision: oneForOne({ maxRetries: 1 }),
      stashCapacity: 1,
      throttle: { messages: 1, perMs: 1 },
      interceptors: [() => undefined],
    };

    expect(Props.of(recorder(), options)).toMatchObject(options);
  });

  it.each<[string, unknown]>([
    ['mailbox', {}],
    ['mailbox', null],
    ['mailbox', 'bounded'],
    ['stashCapacity', 0],
    ['stashCapacity', 1.5],
    ['stashCapacity', Infinity],
    ['throttle', 5],
    ['throttle', null],
    ['throttle.messages', { messages: 0, perMs: 10 }],
    ['throttle.messages', { messages: 1.5, perMs: 10 }],
    ['throttle.messages', { perMs: 10 }],
    ['throttle.perMs', { messages: 1, perMs: 0 }],
    ['throttle.perMs', { messages: 1, perMs: Infinity }],
    ['throttle.per', { messages: 1, perMs: 1, per: 'second' }],
    ['interceptors', {}],
    ['interceptors', null],
    ['interceptors', ['log']],
    ['supervision', {}],
    ['supervision', null],
    ['supervision', 'restart'],
    ['childSupervision', {}],
  ])('rejects %s in %p', (option, value) => {
    const make = (): unknown => Props.of(recorder(), { [option.split('.')[0]!]: value });

    expect(make).toThrow(InvalidActorOptionError);
    expect(make).toThrow(`Actor option \`${option}\``);
  });

  it('rejects an unknown option', () => {
    expect(() => Props.of(recorder(), { mailBox: bounded(1) } as never)).toThrow('`Props.mailBox`');
    expect(() => Props.of(recorder(), null as never)).toThrow(InvalidActorOptionError);
  });

  it.each([undefined, {}, Behavior.same(), Behavior.stopped(), Behavior.unhandled()])(
    'rejects %p as a behavior',
    (bad) => {
      expect(() => Props.of(bad as never)).toThrow(InvalidBehaviorError);
    },
  );
});

describe('propsOf', () => {
  it('creates props once per behavior, and returns Props unchanged', () => {
    const behavior = recorder();
    const props = Props.of(behavior, { stashCapacity: 5 });

    expect(propsOf(behavior)).toBe(propsOf(behavior));
    expect(propsOf(recorder())).not.toBe(propsOf(behavior));
    expect(propsOf(props)).toBe(props);
  });
});
