import * as api from './index.js';

describe('@roost/testkit', () => {
  it('exports these names and no others', () => {
    expect(Object.keys(api).sort()).toEqual([
      'ActorTestKit',
      'AsyncHandlerError',
      'BehaviorBusyError',
      'BehaviorStoppedError',
      'BehaviorTestKit',
      'DEFAULT_KIT_LIMITS',
      'Effect',
      'Forwarded',
      'HandlersNotFinishedError',
      'InvalidTestkitOptionError',
      'KitAlreadyMovingError',
      'ManualClockMissingError',
      'MessageAdapted',
      'NotSettledError',
      'NothingToReplyToError',
      'Piped',
      'ProbeAssertionError',
      'ReceiveTimeoutSet',
      'Replied',
      'Spawned',
      'Stashed',
      'Stopped',
      'TestInbox',
      'TestProbe',
      'TestkitError',
      'TimerCancelled',
      'TimerScheduled',
      'Unhandled',
      'Unstashed',
      'Unwatched',
      'Watched',
    ]);
  });
});
