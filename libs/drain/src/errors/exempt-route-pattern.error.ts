import { DrainError } from '../core/index.js';

/** `@ServeWhileDraining()` on a route whose path has parameters or wildcards. @publicApi */
export class ExemptRoutePatternError extends DrainError {
  constructor(readonly path: string) {
    super(
      'DRAIN_EXEMPT_PATTERN',
      `@ServeWhileDraining() is on the route "${path}", but requests are refused before any router has seen them, so ` +
        'only fixed paths can be exempt. Use DrainModule.forRoot({ exempt: (request) => ... }) instead.',
    );
  }
}
