import * as core from './core/index.js';
import * as api from './index.js';

describe('@roost/shutdown', () => {
  it('exports all of @roost/shutdown/core, these names and no others', () => {
    const surface = [
      'ApplicationStoppedError',
      'CoordinatedShutdownModule',
      'DuplicateModuleError',
      'RequestScopedTaskError',
      'ShutdownModuleMissingError',
      'ShutdownTask',
      'enableCoordinatedShutdown',
    ];
    expect(Object.keys(api).sort()).toEqual([...Object.keys(core), ...surface].sort());
  });
});
