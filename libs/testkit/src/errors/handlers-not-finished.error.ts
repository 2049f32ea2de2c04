import { TestkitError } from './testkit.error.js';

/** `finishHandlers()` timed out: a handler or a `pipeToSelf` promise did not settle. @publicApi */
export class HandlersNotFinishedError extends TestkitError {
  constructor(
    readonly timeoutMs: number,
    unfinished: string,
  ) {
    super(
      'TESTKIT_HANDLERS_NOT_FINISHED',
      `Not finished after ${timeoutMs} ms of real time: ${unfinished}. If they wait for the kit's clock, call ` +
        'kit.advance(ms); if they wait for a probe, let the probe reply; if they are slow, raise realTimeoutMs.',
    );
  }
}
