import { consoleLogger, guardedLogger, type RoostLogger } from './logger.js';
import { RecordingLogger } from './testing/recording-logger.js';

const { jest } = import.meta;

describe('guardedLogger', () => {
  it('passes lines on, with their context', () => {
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

  it('drops debug lines of a logger that has none', () => {
    const { log, warn, error } = new RecordingLogger();
    expect(() => guardedLogger({ log, warn, error }).debug('x')).not.toThrow();
  });

  it('keeps the receiver of a logger that is a class', () => {
    const logger = new RecordingLogger();
    guardedLogger(logger).debug('x');
    expect(logger.lines).toEqual(['debug: x']);
  });

  it('swallows what a logger throws', () => {
    const fail = (): never => {
      throw new Error('disk full');
    };
    const logger = guardedLogger({ log: fail, warn: fail, error: fail });
    for (const level of ['log', 'warn', 'error'] as const) expect(() => logger[level]('x')).not.toThrow();
  });
});

describe('consoleLogger', () => {
  afterEach(() => jest.restoreAllMocks());

  it.each(['log', 'warn', 'error'] as const)('writes %s lines with their context, or else its own name', (level) => {
    const written = jest.spyOn(console, level).mockImplementation(() => undefined);
    const logger = consoleLogger('workers');
    logger[level]('started');
    logger[level]('started', '/user/a');
    expect(written.mock.calls).toEqual([['[workers] started'], ['[/user/a] started']]);
  });

  it('has no debug lines', () => {
    expect(consoleLogger('workers').debug).toBeUndefined();
  });
});
