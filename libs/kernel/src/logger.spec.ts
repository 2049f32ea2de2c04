import { consoleLogger, guardedLogger, type RoostLogger } from './logger.js';
import { RecordingLogger } from './testing/recording-logger.js';

const { jest } = import.meta;

describe('guardedLogger', () => {
  it('forwards lines with their context', () => {
    const lines: unknown[][] = [];
    const logger: RoostLogger = {
      log: (...line) => lines.push(line),
      warn: (...line) => lines.push(line),
      error: (...line) => lines.push(line),
    };
    guardedLogger(logger).log('a', '/user/a');
    guardedLogger(logger).warn('b');
    guardedLogger(logger).error('c');
    expect(lines).toEqual([['a', '/user/a'], ['b'], ['c']]);
  });

  it('drops debug lines if the logger has no debug', () => {
    const { log, warn, error } = new RecordingLogger();
    expect(() => guardedLogger({ log, warn, error }).debug('x')).not.toThrow();
  });

  it('keeps `this` for a logger that is a class instance', () => {
    const logger = new RecordingLogger();
    guardedLogger(logger).debug('x');
    expect(logger.lines).toEqual(['debug: x']);
  });

  it('swallows errors of the logger', () => {
    const fail = (): never => {
      throw new Error('disk full');
    };
    const logger = guardedLogger({ log: fail, warn: fail, error: fail });
    for (const level of ['log', 'warn', 'error'] as const) expect(() => logger[level]('x')).not.toThrow();
  });
});

describe('consoleLogger', () => {
  afterEach(() => jest.restoreAllMocks());

  it.each(['log', 'warn', 'error'] as const)('writes %s lines with their context, or else its name', (level) => {
    const written = jest.spyOn(console, level).mockImplementation(() => undefined);
    const logger = consoleLogger('workers');
    logger[level]('started');
    logger[level]('started', '/user/a');
    expect(written.mock.calls).toEqual([['[workers] started'], ['[/user/a] started']]);
  });

  it('has no debug', () => {
    expect(consoleLogger('workers').debug).toBeUndefined();
  });
});
