import { Injectable } from '@nestjs/common';
import type { Observable } from 'rxjs';
import { type AnyHttpServer, Drain, type DrainSnapshot } from './core/index.js';

/**
 * Reports the state of the drain to the application, and adds servers to it.
 *
 * @example
 * ```ts
 * import { Injectable, type OnModuleInit } from '@nestjs/common';
 * import { DrainService } from '@roost/drain';
 * import { createServer } from 'node:http';
 *
 * @Injectable()
 * export class AdminServer implements OnModuleInit {
 *   readonly #server = createServer((_request, response) => response.end('ok'));
 *
 *   constructor(private readonly drain: DrainService) {}
 *
 *   onModuleInit(): void {
 *     this.drain.attach(this.#server);
 *     this.#server.listen(9000);
 *   }
 * }
 * ```
 *
 * @publicApi
 */
@Injectable()
export class DrainService {
  /** Emits the number of in-flight requests and messages: the current number, then every change. It never completes. */
  readonly inFlight$: Observable<number>;

  constructor(private readonly drain: Drain) {
    this.inFlight$ = drain.inFlight$;
  }

  /** Whether a shutdown has begun. True from its first moment, even while requests are still served. */
  get isDraining(): boolean {
    return this.drain.isDraining;
  }

  /**
   * Aborts when new work is refused. All users share this signal, so remove the listeners you add. For a single request
   * use `@DrainSignal()`.
   */
  get signal(): AbortSignal {
    return this.drain.signal;
  }

  snapshot(): DrainSnapshot {
    return this.drain.snapshot();
  }

  /**
   * Drains and closes a server that Nest does not know. Call it before the server listens.
   *
   * @throws InvalidServerError
   */
  attach(server: AnyHttpServer): void {
    this.drain.attach(server);
  }
}
