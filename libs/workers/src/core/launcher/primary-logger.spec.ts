import { primaryLogger } from './primary-logger.js';

const { jest } = import.meta;

describe('primaryLogger', () => {
  it.each([
    ['log', 'log'],
    ['warn', 'warn'],
    ['error', 'error'],
  ] as const)('prints %s lines with the name of the primary', (level, method) => {
    const print = jest.spyOn(console, method).mockImplementation(() => undefined);

    primaryLogger[level]('hello');

    expect(print.mock.calls).toEqual([['[primary] hello']]);
    print.mockRestore();
  });
});
