import { RoostError } from '@roost/kernel';
import { ClientGoneError } from './client-gone.error.js';
import { DrainStartedError } from './drain-started.error.js';
import { DrainError } from './drain.error.js';
import { InvalidDrainOptionError } from './invalid-drain-option.error.js';
import { InvalidServerError } from './invalid-server.error.js';
import { StuckWorkError } from './stuck-work.error.js';

describe('drain errors', () => {
  it.each([
    [new ClientGoneError(), 'ClientGoneError', 'DRAIN_CLIENT_GONE'],
    [new DrainStartedError(), 'DrainStartedError', 'DRAIN_STARTED'],
    [new InvalidDrainOptionError('a', 1, 'x'), 'InvalidDrainOptionError', 'DRAIN_INVALID_OPTION'],
    [new InvalidServerError({}), 'InvalidServerError', 'DRAIN_INVALID_SERVER'],
    [new StuckWorkError(1, []), 'StuckWorkError', 'DRAIN_STUCK'],
  ])('have a class, a name and a code: %s', (error, name, code) => {
    expect(error).toBeInstanceOf(DrainError);
    expect(error).toBeInstanceOf(RoostError);
    expect(error).toMatchObject({ name, code });
  });
});

describe('InvalidDrainOptionError', () => {
  it('shows the value, shortened', () => {
    expect(new InvalidDrainOptionError('exempt', { a: { b: 1 } }, 'a path').message).toContain(
      'Drain option `exempt` is { a: [Object] }, but must be a path.',
    );
    expect(new InvalidDrainOptionError('exempt', 'x'.repeat(200), 'a path').message.length).toBeLessThan(250);
  });
});

describe('InvalidServerError', () => {
  it('shows the value it received', () => {
    expect(new InvalidServerError('http://localhost').message).toContain("but got 'http://localhost'.");
  });
});

describe('StuckWorkError', () => {
  const work = (count: number) => Array.from({ length: count }, (_, i) => ({ name: `GET /${i}`, ageMs: 1_500 + i }));

  it('names the stuck work with its age', () => {
    expect(new StuckWorkError(10_000, work(2)).message).toContain(
      'Cut off after waiting 10 s: GET /0 (1.5 s), GET /1 (1.5 s). Raise maxWaitMs (and the timeout of phase ' +
        'service-requests-done), or end long responses when @DrainSignal() aborts.',
    );
  });

  it.each([
    [10, 'GET /9 (1.51 s). Raise'],
    [11, 'GET /9 (1.51 s) and 1 more. Raise'],
    [512, 'GET /9 (1.51 s) and 502 more. Raise'],
  ])('names ten of %d and counts the rest', (count, text) => {
    const error = new StuckWorkError(10_000, work(count));

    expect(error.message).toContain(text);
    expect(error.message).not.toContain('GET /10');
    expect(error.stuck).toHaveLength(count);
  });
});
