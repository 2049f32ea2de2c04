import { deferred } from '@roost/kernel';
import { advance, settle, testSystem } from '../actor-system.fixture.js';
import type { ActorContext } from '../actor-context.js';
import { Behavior, type BehaviorResult } from '../behavior.js';
import { logMessages, measureMessages } from './interceptors.js';
import { type ActorOptions, type Interceptor, Props } from '../props.js';
import { Directive } from '../supervision/directive.js';
import { oneForOne } from '../supervision/one-for-one.strategy.js';

type Message = ((ctx: ActorContext<Message>) => BehaviorResult<Message>) | string;

function intercepted(...interceptors: NonNullable<ActorOptions['interceptors']>) {
  const test = testSystem();
  const handled: unknown[] = [];
  const behavior = Behavior.receive<Message>((ctx, message) => {
    if (typeof message === 'function') return message(ctx);
    handled.push(message);
  });
  const supervision = oneForOne({ decide: () => Directive.Resume });
  const ref = test.system.spawn(Props.of(behavior, { interceptors, supervision }), 'seen');
  return { ...test, ref, handled };
}

describe('interceptors', () => {
  it('wrap the handler, the first one outermost', async () => {
    const log: string[] = [];
    const around = (name: string): Interceptor<string> => {
      return (_ctx, message, next) => {
        log.push(`${name} before`);
        const result = next(message);
        log.push(`${name} after`);
        return result;
      };
    };
    const { ref, handled } = intercepted(around('outer'), around('inner'));
    ref.tell('message');
    await settle();

    expect(log).toEqual(['outer before', 'inner before', 'inner after', 'outer after']);
    expect(handled).toEqual(['message']);
  });

  it('may change, drop or delay a message', async () => {
    const waiting = deferred();
    const { ref, handled } = intercepted((async (_ctx, message, next) => {
      if (message === 'drop') return;
      await waiting.promise;
      return next(`${message}!`);
    }) satisfies Interceptor<string>);
    ref.tell('drop');
    ref.tell('a');
    ref.tell('b');
    await settle();
    expect(handled).toEqual([]);
    waiting.resolve();
    await settle();

    expect(handled).toEqual(['a!', 'b!']);
  });

  it('survive a change of behavior and a restart', async () => {
    let seen = 0;
    const { ref } = intercepted(((_ctx, message, next) => {
      seen++;
      return next(message);
    }) satisfies Interceptor);
    const other: Behavior<Message> = Behavior.receive<Message>(() => Behavior.setup(() => other));
    ref.tell(() => other);
    ref.tell('other');
    ref.tell('and other');
    await settle();

    expect(seen).toBe(3);
  });

  it('fail the actor and the ask when they throw', async () => {
    const { ref, logger } = intercepted(() => {
      throw new Error('not through here');
    });

    await expect(ref.ask(() => 'question')).rejects.toThrow('not through here');
    expect(logger.lines[0]).toContain('warn: /user/seen: failed on string (resume): Error: not through here');
  });

  it('do not see signals', async () => {
    const { system } = testSystem();
    let seen = 0;
    const signals: string[] = [];
    const behavior = Behavior.receive(() => undefined).onSignal(
      (_ctx, signal) => void signals.push(signal.constructor.name),
    );
    const interceptor: Interceptor = (_ctx, message, next) => {
      seen++;
      return next(message);
    };
    const ref = system.spawn(Props.of(behavior, { interceptors: [interceptor] }));
    ref.stop();
    await ref.whenTerminated();

    expect([seen, signals]).toEqual([0, ['PreStart', 'PostStop']]);
  });
});

describe('measureMessages', () => {
  it('reports how long every message took until it settled, and whether it failed', async () => {
    const samples: Parameters<Parameters<typeof measureMessages>[0]>[0][] = [];
    const test = intercepted(measureMessages((sample) => samples.push(sample)));
    const { ref, clock } = test;
    const slow = deferred();
    ref.tell('fast');
    ref.tell(() => slow.promise);
    await advance(test, 250);
    slow.resolve();
    ref.tell(() => {
      clock.advance(5);
      throw new Error('sync');
    });
    ref.tell(() => Promise.reject(new Error('async')));
    await settle();

    expect(samples).toEqual([
      { path: '/user/seen', messageType: 'string', durationMs: 0, failed: false },
      { path: '/user/seen', messageType: 'function', durationMs: 250, failed: false },
      { path: '/user/seen', messageType: 'function', durationMs: 5, failed: true },
      { path: '/user/seen', messageType: 'function', durationMs: 0, failed: true },
    ]);
  });

  it("passes on the handler's return value", async () => {
    const { ref } = intercepted(measureMessages(() => undefined));
    ref.tell(() => Promise.resolve(Behavior.stopped()));
    await ref.whenTerminated();
    const sync = intercepted(measureMessages(() => undefined));
    sync.ref.tell(() => Behavior.stopped());

    await expect(sync.ref.whenTerminated()).resolves.toBeUndefined();
  });
});

describe('logMessages', () => {
  class Order {
    readonly secret = 'hunter2';
  }

  it('logs a line per message without its contents', async () => {
    const test = intercepted(logMessages());
    const slow = deferred();
    test.ref.tell(new Order() as never);
    test.ref.tell(() => slow.promise);
    await advance(test, 1_500);
    slow.reject(new Error('no'));
    await settle();

    const lines = test.logger.lines.filter((line) => line.startsWith('debug'));
    expect(lines).toEqual(['debug: /user/seen: Order handled in 0 ms', 'debug: /user/seen: function failed in 1.5 s']);
    expect(test.logger.lines.join()).not.toContain('hunter2');
  });

  it('logs at the given level', async () => {
    const { ref, logger } = intercepted(logMessages('warn'));
    ref.tell('message');
    await settle();

    expect(logger.lines).toEqual(['warn: /user/seen: string handled in 0 ms']);
  });
});
