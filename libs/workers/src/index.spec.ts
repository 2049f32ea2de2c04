import * as core from './core/index.js';
import * as api from './index.js';
import * as terminus from './terminus.js';

describe('@roost/workers', () => {
  it('exports all of @roost/workers/core, these names and no others', () => {
    const surface = [
      'BackgroundProcess',
      'MissingHandleError',
      'RequestScopedProcessError',
      'WorkersModule',
      'WorkersShutdownMissingError',
      'launch',
    ];
    expect(Object.keys(api).sort()).toEqual([...Object.keys(core), ...surface].sort());
  });
});

describe('@roost/workers/core', () => {
  it('exports these names and no others', () => {
    expect(Object.keys(core).sort()).toEqual([
      'ChildrenLostError',
      'CrashLoopReason',
      'DEFAULT_FLEET_OPTIONS',
      'DEFAULT_WORKERS_OPTIONS',
      'DuplicateChildError',
      'DuplicateProcessError',
      'Fleet',
      'FleetDoneReason',
      'InvalidWorkerOptionError',
      'NestedLaunchError',
      'NothingToLaunchError',
      'ProcessEndedError',
      'ProcessesFailedError',
      'ProcessesStuckError',
      'StatusSocketError',
      'StopRequestedError',
      'Workers',
      'WorkersError',
      'WorkersStoppedError',
      'neverRestart',
      'readStatus',
      'reportInFlight',
      'reportReady',
      'restartBackoff',
      'runGracefully',
    ]);
  });

  it('has one base class for every error, and each error has the name of its class', () => {
    const errors = Object.entries(api).filter(([name]) => name.endsWith('Error') && name !== 'WorkersError');

    expect(errors.length).toBeGreaterThan(12);
    for (const [, error] of errors) {
      expect((error as unknown as { prototype: unknown }).prototype).toBeInstanceOf(api.WorkersError);
    }
    expect(new api.NothingToLaunchError().name).toBe('NothingToLaunchError');
  });
});

describe('@roost/workers/terminus', () => {
  it('exports the indicator', () => {
    expect(Object.keys(terminus)).toEqual(['WorkersHealthIndicator']);
  });
});
