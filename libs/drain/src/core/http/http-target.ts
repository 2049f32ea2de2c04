import type { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Server as TcpServer } from 'node:net';
import type { Duplex } from 'node:stream';
import { settlesWithin, sleep } from '@roost/time';
import type { Exemptions } from '../exemptions.js';
import { pathOf } from '../exemptions.js';
import { COARSE_MS, CoarseClock } from '../coarse-clock.js';
import type { Meter } from '../meter.js';
import type { ResolvedDrainOptions } from '../options.js';
import type { DrainTarget } from '../target.js';
import { sendGoingAway, terminate } from '../web-sockets/going-away.js';
import type { WorkInFlight } from '../work.js';
import { ConnectionClose } from './connection-close.js';
import { Connections } from './connections.js';
import { InFlight } from './in-flight.js';
import { Http2Sessions } from './http2-sessions.js';
import { type AnyHttpServer, type AnyRequest, type AnyResponse, isHttp1 } from './server.js';
import { Shedder } from './shedder.js';
import { goFirst, joinOthers, takeOver } from './server-events.js';

/** How often the connections are counted at the end, for as long as `settleMs` at most. */
const POLL_MS = 5;
/** The same for a server that has handed over. */
const LINGER_POLL_MS = 50;

/**
 * One HTTP server. Requests are counted at the server itself, from the event that announces them to the `close` of
 * their response, which comes when the last byte has been handed to the operating system.
 */
export class HttpTarget implements DrainTarget {
  readonly #inFlight = new InFlight();
  readonly #coarseClock: CoarseClock;
  /** Answered while draining, refused or exempt: they cannot hold the process for longer than a moment. */
  readonly #late = new Set<AnyResponse>();
  /** Whether each upgraded connection speaks WebSocket. */
  readonly #upgraded = new Map<Duplex, boolean>();
  /** By connection: pipelined responses that had to wait for their turn. */
  readonly #queued = new WeakMap<Duplex, Set<AnyResponse>>();
  readonly #connections: Connections;
  readonly #sessions: Http2Sessions;
  readonly #connectionClose = new ConnectionClose();
  readonly #shedder: Shedder;
  #draining = false;
  #shedding = false;
  #handedOverAt: number | undefined;
  /** When a response last left its connection open for the next request. */
  #keptOpenAt = -Infinity;
  /** Refusals that wait for the listener to close. */
  #heldBack: (() => void)[] | undefined;
  #onLateEnded: () => void = () => undefined;
  readonly #leaveRequest: () => void;
  readonly #leaveContinue: () => void;
  readonly #leaveUpgrade: () => void;

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
    this.#leaveRequest = goFirst(server, 'request', this.#admit);
    // To be the only one who listens to these would change what Node does with such requests.
    this.#leaveContinue = joinOthers(server, 'checkContinue', this.#admit);
    this.#leaveUpgrade = joinOthers(server, 'upgrade', this.#trackUpgrade);
  }

  announce(): void {
    this.#draining = true;
    // It may have been that much later.
    this.#keptOpenAt = Math.min(this.#keptOpenAt + COARSE_MS, this.options.clock.monotonic());
    for (const { response } of this.#inFlight.inOrder()) {
      if (isHttp1(response)) this.#connectionClose.claim(response);
    }
    this.#sessions.notice();
    this.#leaveRequest();
    const passRequest = takeOver(this.server, 'request', (...args: [AnyRequest, AnyResponse]) =>
      this.#gate(...args, false, () => passRequest(...args)),
    );
    this.#leaveContinue();
    const passContinue = takeOver(this.server, 'checkContinue', (...args: [AnyRequest, AnyResponse]) =>
      this.#gate(...args, true, () => {
        if (passContinue(...args)) return;
        args[1].writeContinue();
        passRequest(...args);
      }),
    );
    if ((this.server as EventEmitter).listenerCount('upgrade') === 0) return;
    this.#leaveUpgrade();
    const passUpgrade = takeOver(this.server, 'upgrade', (...args: [IncomingMessage, Duplex]) => {
      if (this.#shedding && !this.exemptions.has(args[0])) return this.#refuseUpgrade(args[1]);
      this.#trackUpgrade(...args);
      passUpgrade(...args);
    });
  }

  async shed(): Promise<void> {
    this.#shedding = true;
    await this.#closeStreams();
  }

  async handOver(): Promise<void> {
    this.#handedOverAt = this.options.clock.monotonic();
    this.#stopListening();
    await this.#closeStreams();
  }

  /** WebSockets and HTTP/2 sessions, which would go on for ever. */
  async #closeStreams(): Promise<void> {
    const { clock, webSocketGraceMs } = this.options;
    for (const [socket, isWebSocket] of this.#upgraded) if (isWebSocket) sendGoingAway(socket);
    const closed = Promise.all([...this.#upgraded.keys()].map((socket) => closing(socket)));
    await Promise.all([this.#sessions.closeAll(), settlesWithin(closed, webSocketGraceMs, clock)]);
    for (const socket of this.#upgraded.keys()) terminate(socket);
  }

  async settle(): Promise<void> {
    const { clock, settleMs } = this.options;
    if (this.#handedOverAt === undefined) await this.#closeListener();
    else await this.#linger(this.#handedOverAt);
    if (this.#late.size > 0) {
      await settlesWithin(new Promise<void>((resolve) => (this.#onLateEnded = resolve)), settleMs, clock);
    }
    // Those of HTTP/1 end with their connections; these would hold a session on which others are still being sent.
    for (const response of this.#late) if (!isHttp1(response)) response.stream.destroy();
    await this.#sessions.whenClosed();
    // After a handover too: the connections that are left are about to be closed.
    this.#shedding = true;
  }

  async #closeListener(): Promise<void> {
    const { clock, settleMs } = this.options;
    // Clients that never let up open a connection for each refusal. Without an answer they run out of them, and none is
    // left waiting to be accepted when the listener closes.
    const heldBack = (this.#heldBack = []) as (() => void)[];
    await this.#connections.whenAccepted(settleMs);
    this.#stopListening();
    this.#heldBack = undefined;
    for (const refuse of heldBack) refuse();
    // A client may be sending on a connection that was open to it a moment ago. There is no event for the last to go.
    const quietAt = (): number => Math.max(this.#keptOpenAt, this.#connections.openedAt) + settleMs;
    while (clock.monotonic() < quietAt() && (await this.#connections.count()) > 0) await sleep(POLL_MS, { clock });
  }

  /**
   * With a successor there is no hurry: clients that think may send once more on the connections they have, until these
   * would have ended without us too. The other half of the time is for what is in flight then.
   */
  async #linger(since: number): Promise<void> {
    const { clock, maxWaitMs, settleMs } = this.options;
    const keepAliveMs = ('keepAliveTimeout' in this.server && this.server.keepAliveTimeout) || Infinity;
    const until = since + Math.min(keepAliveMs + settleMs, maxWaitMs / 2);
    while (clock.monotonic() < until && (await this.#connections.count()) > 0) await sleep(LINGER_POLL_MS, { clock });
  }

  close(): Promise<void> {
    this.#stopListening();
    this.#connections.destroyAll();
    // Node has taken these off its list.
    for (const socket of this.#upgraded.keys()) terminate(socket);
    return Promise.resolve();
  }

  force(): void {
    for (const { response } of this.#inFlight.inOrder()) {
      if (isHttp1(response)) response.req.socket.destroy();
      else response.stream.destroy();
    }
    for (const socket of this.#upgraded.keys()) terminate(socket);
  }

  inFlight(): WorkInFlight[] {
    const now = this.options.clock.monotonic();
    return this.#inFlight.inOrder().map(({ response: { req }, startedAt }) => ({
      name: `${req.method} ${pathOf(req)}`,
      ageMs: now - startedAt,
    }));
  }

  readonly #admit = (request: AnyRequest, response: AnyResponse): void => {
    // The same request comes twice when a listener of `checkContinue` hands it on to those of `request`, as is usual.
    if (this.#inFlight.has(response)) return;
    this.#inFlight.add(response, this.#coarseClock.now());
    this.meter.began();
    this.#watch(request, response);
  };

  #watch(request: AnyRequest, response: AnyResponse): void {
    response.on('close', this.#onResponseClose);
    // A pipelined response that has not got the connection yet does not hear of its end.
    if (response.socket === null) this.#queue(request.socket, response);
  }

  #queue(socket: Duplex, response: AnyResponse): void {
    const queued = this.#queued.get(socket) ?? new Set();
    if (!this.#queued.has(socket)) {
      this.#queued.set(socket, queued);
      socket.once('close', () => queued.forEach((waiting) => this.#ended(waiting)));
    }
    queued.add(response);
    response.once('close', () => queued.delete(response));
  }

  /** One function for all responses. */
  readonly #onResponseClose = ((target: HttpTarget) =>
    function (this: AnyResponse): void {
      target.#ended(this);
    })(this);

  #ended(response: AnyResponse): void {
    if (this.#shedding && this.#late.delete(response)) {
      this.#release(response);
      if (this.#late.size === 0) this.#onLateEnded();
    }
    if (!this.#inFlight.delete(response)) return;
    if (this.#draining) this.#release(response);
    else this.#keptOpenAt = this.#coarseClock.now();
    this.meter.ended();
  }

  /** Every request, from when the drain has begun. */
  #gate(request: AnyRequest, response: AnyResponse, awaitsContinue: boolean, pass: () => void): void {
    if (this.#inFlight.has(response) || this.#late.has(response)) return pass();
    if (isHttp1(response)) this.#connectionClose.claim(response);
    if (!this.#shedding) {
      this.#admit(request, response);
      return pass();
    }
    this.#late.add(response);
    this.#watch(request, response);
    if (this.exemptions.has(request)) return pass();
    this.meter.shed++;
    const refuse = (): void => this.#shedder.refuse(request, response, awaitsContinue);
    if (this.#heldBack) this.#heldBack.push(refuse);
    else refuse();
  }

  #stopListening(): void {
    // Not the server's own close(): it cuts responses that have ended but are still being sent.
    if (this.server.listening) TcpServer.prototype.close.call(this.server);
  }

  #release(response: AnyResponse): void {
    if (!isHttp1(response)) return;
    const release = (): void => this.#connectionClose.release(response);
    if (response.getHeader('Connection') === 'close') return release();
    // Its client was told that it may send more before the drain began, and may be doing so.
    const { clock, settleMs } = this.options;
    this.#keptOpenAt = clock.monotonic();
    clock.setTimer(settleMs, release);
  }

  #refuseUpgrade(socket: Duplex): void {
    this.meter.shed++;
    this.#shedder.refuseUpgrade(socket);
  }

  readonly #trackUpgrade = (request: IncomingMessage, socket: Duplex): void => {
    this.#upgraded.set(socket, /\bwebsocket\b/i.test(request.headers.upgrade ?? ''));
    socket.once('close', () => this.#upgraded.delete(socket));
  };
}

const closing = (socket: Duplex): Promise<void> => new Promise((resolve) => socket.once('close', resolve));
