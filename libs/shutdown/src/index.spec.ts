import * as api from './index.js';

describe('@roost/shutdown', () => {
  it('exports these names and no others', () => {
    expect(Object.keys(api).sort()).toEqual([
      'ActorSystemTerminateReason',
      'ApplicationCloseReason',
      'ApplicationStoppedError',
      'AwaitedInTaskError',
      'BootstrapFailedReason',
      'ClusterDowningReason',
      'ClusterLeavingReason',
      'ContradictoryOptionsError',
      'CoordinatedShutdown',
      'CoordinatedShutdownModule',
      'DEFAULT_SHUTDOWN_OPTIONS',
      'DuplicateModuleError',
      'DuplicatePhaseError',
      'DuplicateTaskError',
      'InvalidNameError',
      'InvalidOptionError',
      'InvalidTaskError',
      'InvalidTimeoutError',
      'LatePhaseError',
      'Phase',
      'PhaseCycleError',
      'PhaseGraphLockedError',
      'ProcessTerminateReason',
      'RequestScopedTaskError',
      'ShutdownError',
      'ShutdownFailedError',
      'ShutdownModuleMissingError',
      'ShutdownReason',
      'ShutdownTask',
      'TaskTimeoutError',
      'UncaughtErrorReason',
      'UnknownPhaseError',
      'UnknownReason',
      'captureEarlySignals',
      'enableCoordinatedShutdown',
    ]);
  });
});
