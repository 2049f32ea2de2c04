import { TestkitError } from './testkit.error.js';

/** `finishHandlers()` has waited for handlers, or promises of `pipeToSelf`, that do not settle. @publicApi */
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
