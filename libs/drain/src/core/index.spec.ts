import * as api from './index.js';

describe('@roost/drain/core', () => {
  it('exports these names and no others', () => {
    expect(Object.keys(api).sort()).toEqual([
      'ClientGoneError',
      'DEFAULT_DRAIN_OPTIONS',
      'Drain',
      'DrainError',
      'DrainStartedError',
      'InvalidDrainOptionError',
      'InvalidServerError',
      'Meter',
      'StuckWorkError',
      'registerDrainTasks',
    ]);
  });
});
