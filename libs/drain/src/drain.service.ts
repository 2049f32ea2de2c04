import { Injectable } from '@nestjs/common';
import type { Observable } from 'rxjs';
import { type AnyHttpServer, Drain, type DrainSnapshot } from './core/index.js';

/**
 * What an application can know about its own drain.
 *
 * @publicApi
 */
@Injectable()
export class DrainService {
  /** The number of requests and messages in flight: the current one, then each change. It does not complete. */
  readonly inFlight$: Observable<number>;

  constructor(private readonly drain: Drain) {
    this.inFlight$ = drain.inFlight$;
  }

  /** From the first moment of a shutdown, also while requests are still served. */
  get isDraining(): boolean {
    return this.drain.isDraining;
  }

  /** Aborts when new work is refused. Shared by all: remove the listeners you add. For one request: `@DrainSignal()`. */
  get signal(): AbortSignal {
    return this.drain.signal;
  }

  snapshot(): DrainSnapshot {
    return this.drain.snapshot();
  }

  /**
   * Has a server that Nest does not know drained and closed with the others. Do it before the server listens.
   *
   * @throws InvalidServerError
   */
  attach(server: AnyHttpServer): void {
    this.drain.attach(server);
  }
}
