import { settle, testSystem } from './actor-system.fixture.js';
import { ActorSystem } from './actor-system.js';
import { Behavior } from './behavior.js';

const { jest } = import.meta;

describe('ctx.log', () => {
  it('names the actor in every line', async () => {
    const { system, logger } = testSystem();
    system.spawn(
      Behavior.setup((ctx) => {
        const { log } = ctx;
        log.debug('d');
        log.log('l');
        log.warn('w');
        log.error('e');
        return Behavior.receive(() => undefined);
      }),
      'speaker',
    );
    await settle();

    expect(logger.lines).toEqual([
      'debug: /user/speaker: d',
      'log: /user/speaker: l',
      'warn: /user/speaker: w',
      'error: /user/speaker: e',
    ]);
  });
});

describe('the logger of a system', () => {
  it('may throw without harm to actors', async () => {
    const fail = (): never => {
      throw new Error('disk full');
    };
    const system = new ActorSystem({ logger: { log: fail, warn: fail, error: fail, debug: fail } });
    const ref = system.spawn(
      Behavior.receive<string>((ctx, message) => {
        ctx.log.log('about to fail');
        if (message === 'fail') throw new Error('no');
        ctx.reply('alive');
      }),
    );
    ref.tell('fail');

    await expect(ref.ask(() => 'question')).resolves.toBe('alive');
    await system.shutdown();
  });

  it("is the console by default, with the actor's path, and problems on stderr", async () => {
    const spies = (['log', 'warn', 'error'] as const).map((level) =>
      jest.spyOn(console, level).mockImplementation(() => undefined),
    );
    const system = new ActorSystem();
    const ref = system.spawn(
      Behavior.receive<string>((ctx) => {
        for (const level of ['debug', 'log', 'warn', 'error'] as const) ctx.log[level](level);
        ctx.reply('done');
      }),
      'a',
    );
    await ref.ask(() => 'speak');
    const lines = spies.map((spy) => spy.mock.calls);
    for (const spy of spies) spy.mockRestore();
    await system.shutdown();

    expect(lines).toEqual([[['[/user/a] log']], [['[/user/a] warn']], [['[/user/a] error']]]);
  });
});
