import { RoostError } from './error.js';

class DemoError extends RoostError {
  constructor(options?: ErrorOptions) {
    super('DEMO_FAILED', 'It failed.', options);
  }
}

describe('RoostError', () => {
  it('takes its name from the class and keeps code, message and cause', () => {
    const cause = new Error('deeper');
    const error = new DemoError({ cause });

    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({ name: 'DemoError', code: 'DEMO_FAILED', message: 'It failed.', cause });
  });

  it('has no cause unless one is given', () => {
    expect('cause' in new DemoError()).toBe(false);
  });
});
