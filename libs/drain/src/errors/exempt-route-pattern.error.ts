import { DrainError } from '../core/index.js';

/** Thrown when a route with `@ServeWhileDraining()` has parameters or wildcards in its path. @publicApi */
export class ExemptRoutePatternError extends DrainError {
  constructor(readonly path: string) {
    super(
      'DRAIN_EXEMPT_PATTERN',
      `@ServeWhileDraining() is on the route "${path}", which has parameters or wildcards. Requests are refused ` +
        'before routing, so only fixed paths can be exempt. Use DrainModule.forRoot({ exempt: (request) => ... }) instead.',
    );
  }
}
