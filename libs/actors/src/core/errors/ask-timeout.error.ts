import { formatDuration } from '@roost/time';
import { ActorError } from './actor.error.js';

/** An `ask` got no reply in time. The actor may still handle the message. @publicApi */
export class AskTimeoutError extends ActorError {
  constructor(
    readonly path: string,
    readonly messageType: string,
    readonly timeoutMs: number,
  ) {
    super(
      'ACTORS_ASK_TIMEOUT',
      `${path} did not reply to ${messageType} within ${formatDuration(timeoutMs)}. Its handler must send to replyTo or ` +
        'call ctx.reply(); raise timeoutMs if it needs longer.',
    );
  }
}
