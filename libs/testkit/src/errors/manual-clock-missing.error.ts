import { TestkitError } from './testkit.error.js';

/** A kit was created for a system that does not run on a `ManualClock`. @publicApi */
export class ManualClockMissingError extends TestkitError {
  constructor(readonly system: string) {
    super(
      'TESTKIT_NO_MANUAL_CLOCK',
      `The actor system "${system}" does not run on a ManualClock, so the test cannot control its time. Pass one in ` +
        'the option `clock`; with Nest, call useManualClock(builder) before compile().',
    );
  }
}
