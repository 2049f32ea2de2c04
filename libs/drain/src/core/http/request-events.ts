import type { IncomingMessage } from 'node:http';
import type { EventEmitter } from 'node:events';
import type { Duplex } from 'node:stream';
import type { AnyRequest, AnyResponse } from './server.js';
import { goFirst, joinOthers, takeOver } from './server-events.js';

/** Called for every request before the application. */
export interface RequestWatcher {
  onRequest(this: void, request: AnyRequest, response: AnyResponse): void;
  onUpgrade(this: void, request: IncomingMessage, socket: Duplex): void;
}

/** Decides about every request. Calling `pass` hands the request to the application. */
export interface RequestGate {
  /** @param awaitsContinue whether the client waits for `100 Continue` before it sends its body */
  onRequest(request: AnyRequest, response: AnyResponse, awaitsContinue: boolean, pass: () => void): void;
  onUpgrade(request: IncomingMessage, socket: Duplex, pass: () => void): void;
}

/** The events with which a server passes requests to the application. */
export class RequestEvents {
  readonly #server: EventEmitter;
  readonly #unwatchRequest: () => void;
  readonly #unwatchContinue: () => void;
  readonly #unwatchUpgrade: () => void;

  constructor(server: EventEmitter, { onRequest, onUpgrade }: RequestWatcher) {
    this.#server = server;
    this.#unwatchRequest = goFirst(server, 'request', onRequest);
    // Any listener changes how Node treats these requests, so ours are added only if the application has its own.
    this.#unwatchContinue = joinOthers(server, 'checkContinue', onRequest);
    this.#unwatchUpgrade = joinOthers(server, 'upgrade', onUpgrade);
  }

  /** Replaces the watcher and all listeners with `gate`. Requests already in flight continue. */
  intercept(gate: RequestGate): void {
    const server = this.#server;
    this.#unwatchRequest();
    const passRequest = takeOver(server, 'request', (...args: [AnyRequest, AnyResponse]) =>
      gate.onRequest(...args, false, () => passRequest(...args)),
    );
    this.#unwatchContinue();
    const passContinue = takeOver(server, 'checkContinue', (...args: [AnyRequest, AnyResponse]) =>
      gate.onRequest(...args, true, () => {
        if (passContinue(...args)) return;
        args[1].writeContinue();
        passRequest(...args);
      }),
    );
    if (server.listenerCount('upgrade') === 0) return;
    this.#unwatchUpgrade();
    const passUpgrade = takeOver(server, 'upgrade', (...args: [IncomingMessage, Duplex, head: Buffer]) =>
      gate.onUpgrade(args[0], args[1], () => passUpgrade(...args)),
    );
  }
}
