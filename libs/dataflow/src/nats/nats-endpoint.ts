import type { Msg, NatsConnection, Status } from '@nats-io/transport-node';
import type { Clock } from '@roost/time';
import { OversizedFrameError } from '../core/link/errors/oversized-frame.error.js';
import type { Endpoint, EndpointIdentity, TransportEvents } from '../core/link/transport.js';
import { BrokerError } from './broker.error.js';
import { inboxOf, senderOf, subjectOf } from './subjects.js';

/** Limit in ms for the last flush to a broker that does not answer. */
const LAST_WORDS_MS = 2_000;

/**
 * One connection to the broker. All peers count as up while the connection exists; only their frames show whether they
 * are alive. NATS silently drops messages published without a connection, so the endpoint does not publish then.
 */
export class NatsEndpoint implements Endpoint {
  readonly address: string;
  readonly maxFrameBytes: number;
  /** By peer, the subject for its frames. */
  readonly #links = new Map<string, string>();
  readonly #servers: string;
  #isConnected = true;
  #closing: Promise<void> | undefined;

  constructor(
    private readonly connection: NatsConnection,
    private readonly self: EndpointIdentity,
    private readonly events: TransportEvents,
    private readonly clock: Clock,
  ) {
    this.address = self.name;
    this.#servers = connection.getServer();
    this.maxFrameBytes = Math.min(self.maxFrameBytes, connection.info?.max_payload ?? Infinity);
    connection.subscribe(inboxOf(self.app, self.name), {
      callback: (error, message) => {
        if (error) this.events.failed(new BrokerError(this.#servers, 'refused a subscription', error));
        else this.#receive(message);
      },
    });
    void this.#followStatus();
  }

  link(peer: string): void {
    if (this.#links.has(peer) || this.#closing) return;
    this.#links.set(peer, subjectOf(this.self.app, peer, this.self.name));
    queueMicrotask(() => {
      if (this.#isConnected && this.#links.has(peer)) this.events.up(peer);
    });
  }

  unlink(peer: string): void {
    if (!this.#links.delete(peer)) return;
    queueMicrotask(() => {
      if (!this.#links.has(peer)) this.events.down(peer, 'unlinked');
    });
  }

  send(peer: string, head: Uint8Array, body?: Uint8Array): boolean {
    const subject = this.#links.get(peer);
    if (!this.#isConnected || subject === undefined || this.#closing) return false;
    const frame = new Uint8Array(head.length + (body?.length ?? 0));
    frame.set(head);
    if (body) frame.set(body, head.length);
    this.connection.publish(subject, frame);
    return true;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    if (this.#isConnected) await this.#flush();
    await this.connection.close();
  }

  async #flush(): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = this.clock.setTimer(LAST_WORDS_MS, resolve);
      const done = (): void => {
        timer.cancel();
        resolve();
      };
      // The flush fails if the connection breaks, and then there is nothing to wait for.
      this.connection.flush().then(done, done);
    });
  }

  #receive({ subject, data }: Msg): void {
    const peer = senderOf(subject);
    if (peer === undefined || !this.#links.has(peer) || this.#closing) return;
    if (data.length <= this.self.maxFrameBytes) this.events.frame(peer, data);
    else this.events.failed(new OversizedFrameError(peer, data.length, this.self.maxFrameBytes), peer);
  }

  async #followStatus(): Promise<void> {
    for await (const status of this.connection.status()) this.#heed(status);
    const why = await this.connection.closed();
    if (this.#closing) return;
    this.#disconnected('the connection to the broker was closed');
    this.events.failed(new BrokerError(this.#servers, 'closed the connection permanently', why ?? undefined));
  }

  #heed(status: Status): void {
    switch (status.type) {
      case 'disconnect':
        return this.#disconnected(`lost the connection to the broker at ${this.#servers}`);
      case 'reconnect':
        this.#isConnected = true;
        for (const peer of [...this.#links.keys()]) this.events.up(peer);
        return;
      case 'error':
        this.events.failed(new BrokerError(this.#servers, 'reported an error', status.error));
    }
  }

  #disconnected(why: string): void {
    if (!this.#isConnected) return;
    this.#isConnected = false;
    for (const peer of [...this.#links.keys()]) this.events.down(peer, why);
  }
}
