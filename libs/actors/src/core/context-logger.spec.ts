import { RecordingLogger, settle, testSystem } from './actor-system.fixture.js';
import { ActorSystem } from './actor-system.js';
import { Behavior } from './behavior.js';
import { type ActorLogger, consoleLogger, guarded } from './logger.js';

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
      'debug /user/speaker: d',
      'log /user/speaker: l',
      'warn /user/speaker: w',
      'error /user/speaker: e',
    ]);
  });
});

describe('a logger', () => {
  it('may fail: nobody suffers for it', async () => {
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

  it('needs no debug, and keeps its this', () => {
    const recording = new RecordingLogger();
    const { debug: _, ...rest } = guarded({ log() {}, warn() {}, error() {} });
    const logger = guarded(recording);
    logger.warn('w', 'p');

    expect(recording.lines).toEqual(['warn p: w']);
    expect(Object.keys(rest)).toEqual(['log', 'warn', 'error']);
    expect(() => guarded({ log() {}, warn() {}, error() {} } satisfies ActorLogger).debug('d', 'p')).not.toThrow();
  });

  it('is the console by default: problems go to stderr', () => {
    const spies = (['log', 'warn', 'error'] as const).map((level) =>
      jest.spyOn(console, level).mockImplementation(() => undefined),
    );
    consoleLogger.log('l', '/user/a');
    consoleLogger.warn('w', '/user/a');
    consoleLogger.error('e', '/user/a');
    const lines = spies.map((spy) => spy.mock.calls);
    for (const spy of spies) spy.mockRestore();

    expect(lines).toEqual([[['[/user/a] l']], [['[/user/a] w']], [['[/user/a] e']]]);
  });
});
