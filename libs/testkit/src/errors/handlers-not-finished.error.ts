import { TestkitError } from './testkit.error.js';

/** `finishHandlers()` has waited for handlers, or promises of `pipeToSelf`, that do not settle. @publicApi */
export class HandlersNotFinishedError extends TestkitError {
  constructor(
    readonly timeoutMs: number,
    unfinished: string,
  ) {
    super(
      'TESTKIT_HANDLERS_NOT_FINISHED',
      `Not finished after ${timeoutMs} ms of real time: ${unfinished}. If that waits for the clock of the kit, call ` +
        'kit.advance(ms); if for a probe, let the probe reply; if for something slow, raise realTimeoutMs.',
    );
  }
}
