import * as api from './index.js';
import * as terminus from './terminus.js';

describe('@roost/drain', () => {
  it('exports these names and no others', () => {
    expect(Object.keys(api).sort()).toEqual([
      'ClientGoneError',
      'DEFAULT_DRAIN_OPTIONS',
      'DrainError',
      'DrainModule',
      'DrainService',
      'DrainShutdownMissingError',
      'DrainSignal',
      'DrainStartedError',
      'ExemptRoutePatternError',
      'InvalidDrainOptionError',
      'InvalidServerError',
      'ServeWhileDraining',
      'StuckWorkError',
    ]);
  });
});

describe('@roost/drain/terminus', () => {
  it('exports these names and no others', () => {
    expect(Object.keys(terminus)).toEqual(['DrainHealthIndicator']);
  });
});
