import * as api from './index.js';

describe('@roost/shutdown/core', () => {
  it('exports these names and no others', () => {
    expect(Object.keys(api).sort()).toEqual([
      'ActorSystemTerminateReason',
      'ApplicationCloseReason',
      'AwaitedInTaskError',
      'BootstrapFailedReason',
      'ClusterDowningReason',
      'ClusterLeavingReason',
      'ContradictoryOptionsError',
      'CoordinatedShutdown',
      'DEFAULT_SHUTDOWN_OPTIONS',
      'DuplicatePhaseError',
      'DuplicateTaskError',
      'FORCE_MARGIN_MS',
      'InvalidNameError',
      'InvalidShutdownOptionError',
      'InvalidTaskError',
      'InvalidTimeoutError',
      'LatePhaseError',
      'ParentGoneReason',
      'Phase',
      'PhaseCycleError',
      'PhaseGraphLockedError',
      'ProcessDoneReason',
      'ProcessReplacedReason',
      'ProcessTerminateReason',
      'ShutdownError',
      'ShutdownFailedError',
      'ShutdownReason',
      'TaskTimeoutError',
      'UncaughtErrorReason',
      'UnknownPhaseError',
      'UnknownReason',
      'captureEarlySignals',
      'hasProcessHooks',
      'ignoreSignals',
      'terminateProcess',
    ]);
  });

  it('exports a base class for its errors, each named after its class', () => {
    const errors = Object.entries(api).filter(([name]) => name.endsWith('Error') && name !== 'ShutdownError');

    expect(errors).toHaveLength(14);
    for (const [, error] of errors) {
      expect((error as unknown as { prototype: unknown }).prototype).toBeInstanceOf(api.ShutdownError);
    }
    expect(new api.PhaseGraphLockedError('x').name).toBe('PhaseGraphLockedError');
  });
});
