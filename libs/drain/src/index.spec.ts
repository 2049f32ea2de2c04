import * as core from './core/index.js';
import * as api from './index.js';
import * as terminus from './terminus.js';

describe('@roost/drain', () => {
  it('exports its core, these names and no others', () => {
    expect(Object.keys(api).sort()).toEqual(
      [
        ...Object.keys(core),
        'DrainModule',
        'DrainService',
        'DrainShutdownMissingError',
        'DrainSignal',
        'ExemptRoutePatternError',
        'ServeWhileDraining',
      ].sort(),
    );
  });
});

describe('@roost/drain/terminus', () => {
  it('exports these names and no others', () => {
    expect(Object.keys(terminus)).toEqual(['DrainHealthIndicator']);
  });
});
