import {
  ActorSystemTerminateReason,
  ApplicationCloseReason,
  BootstrapFailedReason,
  ClusterDowningReason,
  ClusterLeavingReason,
  ParentGoneReason,
  ProcessDoneReason,
  ProcessReplacedReason,
  ProcessTerminateReason,
  ShutdownReason,
  toReason,
  UncaughtErrorReason,
  UnknownReason,
} from './reasons.js';

describe('ShutdownReason', () => {
  it.each([
    [new ProcessTerminateReason('SIGTERM'), 'process-terminate', 'process-terminate (SIGTERM)'],
    [new ProcessReplacedReason(), 'process-replaced', 'process-replaced (a new process has taken over)'],
    [new ParentGoneReason(), 'parent-gone', 'parent-gone (the parent process is no longer there)'],
    [new ProcessDoneReason(), 'process-done', 'process-done'],
    [new ProcessDoneReason(3, 'import', '3 failed'), 'import', 'import (3 failed)'],
    [new ActorSystemTerminateReason(), 'actor-system-terminate', 'actor-system-terminate'],
    [new ApplicationCloseReason(), 'application-close', 'application-close'],
    [new BootstrapFailedReason(new Error('no db')), 'bootstrap-failed', 'bootstrap-failed (no db)'],
    [new ClusterLeavingReason(), 'cluster-leaving', 'cluster-leaving'],
    [new ClusterDowningReason(), 'cluster-downing', 'cluster-downing'],
    [new UncaughtErrorReason('boom'), 'uncaught-error', 'uncaught-error (boom)'],
    [new UnknownReason(), 'unknown', 'unknown'],
  ])('%s has a name and a text', (reason, name, text) => {
    expect([reason.name, String(reason)]).toEqual([name, text]);
    expect(reason).toBeInstanceOf(ShutdownReason);
  });

  class LicenseExpiredReason extends ShutdownReason {
    override readonly endsProcess = true;
    override readonly exitCode = 78;
  }

  it.each<[ShutdownReason, boolean, number]>([
    [new ShutdownReason('x'), false, 0],
    [new ProcessTerminateReason('SIGTERM'), false, 0],
    [new ProcessReplacedReason(), false, 0],
    [new ParentGoneReason(), false, 0],
    [new ProcessDoneReason(), true, 0],
    [new ProcessDoneReason(3), true, 3],
    [new UncaughtErrorReason('boom'), false, 1],
    [new BootstrapFailedReason('no db'), false, 1],
    [new ApplicationCloseReason(), false, 0],
    [new ActorSystemTerminateReason(), false, 0],
    [new ClusterDowningReason(), false, 0],
    [new ClusterLeavingReason(), false, 0],
    [new UnknownReason(), false, 0],
    [new LicenseExpiredReason(), true, 78],
  ])('%s has endsProcess and exitCode', (reason, endsProcess, exitCode) => {
    expect(reason).toMatchObject({ endsProcess, exitCode });
  });

  it('keeps the signal or error it was created from', () => {
    const error = new Error('x');

    expect(new ProcessTerminateReason('SIGINT').signal).toBe('SIGINT');
    expect(new UncaughtErrorReason(error).error).toBe(error);
    expect(new BootstrapFailedReason(error).error).toBe(error);
  });

  it('derives its name from the class if none is given', () => {
    class AdminEndpointReason extends ShutdownReason {}
    class DrainNode2Reason extends ShutdownReason {}
    class Reason extends ShutdownReason {}

    expect([new AdminEndpointReason(), new DrainNode2Reason(), new Reason()].map(String)).toEqual([
      'admin-endpoint',
      'drain-node2',
      'unknown',
    ]);
    expect(String(new AdminEndpointReason('given', 'why'))).toBe('given (why)');
  });
});

describe('toReason', () => {
  it('returns a reason unchanged', () => {
    const reason = new ApplicationCloseReason();

    expect(toReason(reason)).toBe(reason);
  });

  it('returns a reason from another installed copy unchanged', () => {
    const foreign = { name: 'cluster-downing', toString: () => 'cluster-downing' };
    expect(toReason(foreign)).toBe(foreign);
  });

  it('turns any other value into the detail of an unknown reason', () => {
    expect(['because', null, 5, new Error('boom')].map((value) => String(toReason(value)))).toEqual([
      'unknown (because)',
      'unknown (null)',
      'unknown (5)',
      'unknown (boom)',
    ]);
    expect(String(toReason(undefined))).toBe('unknown');
    expect(toReason(undefined)).toBeInstanceOf(UnknownReason);
  });
});
