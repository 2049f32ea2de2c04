import { ShutdownError } from '../core/index.js';

/** `@ShutdownTask` is used in a request-scoped provider. @publicApi */
export class RequestScopedTaskError extends ShutdownError {
  constructor(
    readonly provider: string,
    readonly methods: readonly string[],
  ) {
    super(
      'SHUTDOWN_REQUEST_SCOPED_TASK',
      `${provider} has @ShutdownTask on ${methods.join(', ')}, but it is request-scoped (itself or through a ` +
        'dependency), so there is no instance to call at shutdown. Move the task to a provider with default scope.',
    );
  }
}
