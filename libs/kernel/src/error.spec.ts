import { RoostError } from './error.js';

class DemoError extends RoostError {
  constructor(options?: ErrorOptions) {
    super('DEMO_FAILED', 'It failed.', options);
  }
}

describe('RoostError', () => {
  it('uses the class name and keeps code, message and cause', () => {
    const cause = new Error('deeper');
    const error = new DemoError({ cause });

    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({ name: 'DemoError', code: 'DEMO_FAILED', cause });
    expect(error.message).toBe('It failed. (https://roost.js.org/error-codes#demo_failed)');
  });

  it('keeps only the address of the quoted code when it quotes another error', () => {
    const quoting = new RoostError('DEMO_QUOTES', `The boot failed: ${new DemoError().message}`);
    expect(quoting.message).toBe('The boot failed: It failed. (https://roost.js.org/error-codes#demo_failed)');
  });

  it('has no cause if none is given', () => {
    expect('cause' in new DemoError()).toBe(false);
  });
});
