import * as api from './index.js';

describe('@roost/health', () => {
  it('exports these names and no others', () => {
    expect(Object.keys(api).sort()).toEqual([
      'DEFAULT_HEALTH_OPTIONS',
      'DEFAULT_HEALTH_ROUTE_OPTIONS',
      'DuplicateProbesError',
      'HealthError',
      'HealthModule',
      'HealthShutdownMissingError',
      'InvalidHealthOptionError',
      'ProbePortError',
      'ShutdownHealthIndicator',
    ]);
  });
});
