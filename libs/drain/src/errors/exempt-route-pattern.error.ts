import { DrainError } from '../core/index.js';

/** `@ServeWhileDraining()` on a route whose path has parameters or wildcards. @publicApi */
export class ExemptRoutePatternError extends DrainError {
  constructor(readonly path: string) {
    super(
      'DRAIN_EXEMPT_PATTERN',
      `@ServeWhileDraining() is on the route "${path}", which has parameters or wildcards. Requests are refused ` +
        'before routing, so only fixed paths can be exempt. Use DrainModule.forRoot({ exempt: (request) => ... }) instead.',
    );
  }
}
