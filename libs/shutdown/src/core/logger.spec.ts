import { consoleLogger, guarded } from './logger.js';

const { jest } = import.meta;

describe('consoleLogger', () => {
  it('writes prefixed lines, each by its level', () => {
    const spies = (['log', 'warn', 'error'] as const).map((level) =>
      jest.spyOn(console, level).mockImplementation(() => undefined),
    );
    consoleLogger.log('a');
    consoleLogger.warn('b');
    consoleLogger.error('c');

    expect(spies.map((spy) => spy.mock.calls)).toEqual([[['[shutdown] a']], [['[shutdown] b']], [['[shutdown] c']]]);
    for (const spy of spies) spy.mockRestore();
  });
});

describe('guarded', () => {
  it('calls the logger as a method and drops what it throws', () => {
    const logger = {
      prefix: '>',
      lines: [] as string[],
      log(message: string) {
        this.lines.push(this.prefix + message);
      },
      warn() {
        throw new Error('disk full');
      },
      error: undefined as unknown as () => void,
    };
    const safe = guarded(logger);

    safe.log('x');
    expect(() => safe.warn('y')).not.toThrow();
    expect(() => safe.error('z')).not.toThrow();
    expect(logger.lines).toEqual(['>x']);
  });
});
