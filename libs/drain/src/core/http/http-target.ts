import type { IncomingMessage } from 'node:http';
import { Server as TcpServer } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Meter } from '../meter.js';
import type { ResolvedDrainOptions } from '../options.js';
import type { DrainTarget } from '../target.js';
import type { WorkInFlight } from '../work.js';
import { COARSE_MS, CoarseClock } from './coarse-clock.js';
import { ConnectionClose } from './connection-close.js';
import { Connections } from './connections.js';
import { type Exemptions, pathOf } from './exemptions.js';
import { Http2Sessions } from './http2-sessions.js';
import { LateResponses } from './late-responses.js';
import { PipelinedResponses } from './pipelined-responses.js';
import { RequestEvents } from './request-events.js';
import { RequestsInFlight } from './requests-in-flight.js';
import { type AnyHttpServer, type AnyRequest, type AnyResponse, isHttp1 } from './server.js';
import { Shedder } from './shedder.js';
import { UpgradedSockets } from './upgraded-sockets.js';

/**
 * - `serving`: requests are only counted.
 * - `announced`: requests are served, each as the last one on its connection.
 * - `handed-over`: like `announced`, but without a listener.
 * - `shedding`: new requests are refused.
 */
type State = 'serving' | 'announced' | 'handed-over' | 'shedding';

/**
 * One HTTP server. A request is in flight from the server's own event until its response emits `close`, which happens
 * when the operating system has received the last byte.
 */
export class HttpTarget implements DrainTarget {
  readonly #requests = new RequestsInFlight();
  readonly #late = new LateResponses();
  readonly #pipelined = new PipelinedResponses((response) => this.#onEnded(response));
  readonly #upgraded = new UpgradedSockets();
  readonly #connectionClose = new ConnectionClose();
  readonly #coarseClock: CoarseClock;
  readonly #connections: Connections;
  readonly #sessions: Http2Sessions;
  readonly #shedder: Shedder;
  readonly #events: RequestEvents;
  #state: State = 'serving';
  /** Monotonic time of the handover. */
  #handedOverAt: number | undefined;

  constructor(
    private readonly server: AnyHttpServer,
    private readonly options: ResolvedDrainOptions,
    private readonly exemptions: Exemptions,
    private readonly meter: Meter,
  ) {
    this.#coarseClock = new CoarseClock(options.clock);
    this.#connections = new Connections(server, options.clock);
    this.#sessions = new Http2Sessions(server, options.clock, options.settleMs);
    this.#shedder = new Shedder(options);
    this.#events = new RequestEvents(server, { onRequest: this.#admit, onUpgrade: this.#upgraded.track });
  }

  announce(): void {
    this.#state = 'announced';
    // Compensates for the lag of the coarse clock.
    this.#connections.keptOpenAt = Math.min(this.#connections.keptOpenAt + COARSE_MS, this.options.clock.monotonic());
    for (const { response } of this.#requests.inOrder()) {
      if (isHttp1(response)) this.#connectionClose.claim(response);
    }
    this.#sessions.notice();
    this.#events.intercept({
      onRequest: (...args) => this.#onRequest(...args),
      onUpgrade: (...args) => this.#onUpgrade(...args),
    });
  }

  async shed(): Promise<void> {
    this.#state = 'shedding';
    await this.#closeLongLived();
  }

  async handOver(): Promise<void> {
    this.#state = 'handed-over';
    this.#handedOverAt = this.options.clock.monotonic();
    this.#stopListening();
    await this.#closeLongLived();
  }

  async settle(): Promise<void> {
    const { clock, settleMs } = this.options;
    if (this.#handedOverAt === undefined) await this.#closeListener();
    else await this.#linger(this.#handedOverAt);
    await this.#late.settle(settleMs, clock);
    await this.#sessions.whenClosed();
    // Applies after a handover too, because the remaining connections are about to be closed.
    this.#state = 'shedding';
  }

  close(): Promise<void> {
    this.#stopListening();
    this.#connections.destroyAll();
    this.#upgraded.terminateAll();
    return Promise.resolve();
  }

  force(): void {
    for (const { response } of this.#requests.inOrder()) {
      if (isHttp1(response)) response.req.socket.destroy();
      else response.stream.destroy();
    }
    this.#upgraded.terminateAll();
  }

  inFlight(): WorkInFlight[] {
    const now = this.options.clock.monotonic();
    return this.#requests.inOrder().map(({ response: { req }, startedAt }) => ({
      name: `${req.method} ${pathOf(req)}`,
      ageMs: now - startedAt,
    }));
  }

  /** Closes WebSockets and HTTP/2 sessions, which would otherwise stay open indefinitely. */
  async #closeLongLived(): Promise<void> {
    const { clock, webSocketGraceMs } = this.options;
    await Promise.all([this.#sessions.closeAll(), this.#upgraded.closeAll(webSocketGraceMs, clock)]);
  }

  async #closeListener(): Promise<void> {
    const { settleMs } = this.options;
    // Busy clients open a new connection after every refusal. While refusals are held back, they open no more, so no
    // connection is waiting to be accepted when the listener closes.
    this.#shedder.hold();
    await this.#connections.whenAccepted(settleMs);
    this.#stopListening();
    this.#shedder.resume();
    await this.#connections.whenQuiet(settleMs);
  }

  /**
   * Keeps serving open connections after a handover. The successor accepts new connections, so clients can send more
   * requests until keep-alive ends their connections. This takes up to half of `maxWaitMs`; the other half is for
   * requests still in flight after that.
   */
  async #linger(since: number): Promise<void> {
    const { maxWaitMs, settleMs } = this.options;
    const keepAliveMs = ('keepAliveTimeout' in this.server && this.server.keepAliveTimeout) || Infinity;
    await this.#connections.whenNone(since + Math.min(keepAliveMs + settleMs, maxWaitMs / 2));
  }

  #stopListening(): void {
    // Avoids the server's own close(), which cuts off ended responses that are still being sent.
    if (this.server.listening) TcpServer.prototype.close.call(this.server);
  }

  readonly #admit = (request: AnyRequest, response: AnyResponse): void => {
    // A `checkContinue` listener usually emits `request` for the same request.
    if (this.#requests.has(response)) return;
    this.#requests.add(response, this.#coarseClock.now());
    this.meter.began();
    this.#watch(request, response);
  };

  #watch(request: AnyRequest, response: AnyResponse): void {
    response.on('close', this.#onResponseClose);
    if (response.socket === null) this.#pipelined.add(request.socket, response);
  }

  /** Shared by all responses. */
  readonly #onResponseClose = ((target: HttpTarget) =>
    function (this: AnyResponse): void {
      target.#onEnded(this);
    })(this);

  #onEnded(response: AnyResponse): void {
    if (this.#state === 'shedding' && this.#late.delete(response)) this.#release(response);
    if (!this.#requests.delete(response)) return;
    if (this.#state === 'serving') this.#connections.keptOpenAt = this.#coarseClock.now();
    else this.#release(response);
    this.meter.ended();
  }

  /** Handles every request that arrives after the drain began. */
  #onRequest(request: AnyRequest, response: AnyResponse, awaitsContinue: boolean, pass: () => void): void {
    if (this.#requests.has(response) || this.#late.has(response)) return pass();
    if (isHttp1(response)) this.#connectionClose.claim(response);
    if (this.#state !== 'shedding') {
      this.#admit(request, response);
      return pass();
    }
    this.#late.add(response);
    this.#watch(request, response);
    if (this.exemptions.has(request)) return pass();
    this.meter.shed++;
    this.#shedder.refuse(request, response, awaitsContinue);
  }

  #onUpgrade(request: IncomingMessage, socket: Duplex, pass: () => void): void {
    if (this.#state === 'shedding' && !this.exemptions.has(request)) {
      this.meter.shed++;
      return this.#shedder.refuseUpgrade(socket);
    }
    this.#upgraded.track(request, socket);
    pass();
  }

  /** Ends the connection of a complete response, either now or after its client had time to send more. */
  #release(response: AnyResponse): void {
    if (!isHttp1(response)) return;
    const release = (): void => this.#connectionClose.release(response);
    if (response.getHeader('Connection') === 'close') return release();
    // The headers were sent before the drain began, so the client may be sending another request.
    const { clock, settleMs } = this.options;
    this.#connections.keptOpenAt = clock.monotonic();
    clock.setTimer(settleMs, release);
  }
}
