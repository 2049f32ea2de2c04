import { messageOf } from '@roost/kernel';
import { systemClock, type Clock } from '@roost/time';
import type { DataflowError } from '../errors/dataflow.error.js';
import { Channel } from './channel.js';
import type { ChannelState } from './channel-options.js';
import { HandshakeRefusedError } from './errors/handshake-refused.error.js';
import { LinkClosedError } from './errors/link-closed.error.js';
import { MalformedFrameError } from './errors/malformed-frame.error.js';
import { MessageHandlerError } from './errors/message-handler.error.js';
import { OversizedFrameError } from './errors/oversized-frame.error.js';
import { UnknownPeerError } from './errors/unknown-peer.error.js';
import { Heartbeat, type Pulse } from './heartbeat.js';
import {
  assertHubOptionNames,
  assertHubOptions,
  assertPeerName,
  type LinkHubOptions,
  type PeerEvent,
} from './hub-options.js';
import { LogQuota } from './log-quota.js';
import { DATA_HEAD_BYTES, PING_FRAME } from './packet.js';
import type { Endpoint } from './transport.js';

export type { LinkHubOptions, PeerEvent } from './hub-options.js';

/** State of a link. */
export interface LinkStatus {
  readonly state: ChannelState;
  /** Number of frames sent and not yet acknowledged by the peer. */
  readonly unackedFrames: number;
  readonly unackedBytes: number;
}

interface Link {
  readonly channel: Channel;
  readonly pulse: Pulse;
}

/**
 * The links of one process to its peers. Every message arrives once and in order, even if connections break in between.
 * Callbacks never run inside a method call, and an error thrown by an owner's callback does not break a link.
 *
 * @example
 * ```ts
 * import { LinkHub } from '@roost/dataflow/link';
 * import { MemoryNetwork } from '@roost/dataflow/testing';
 *
 * const network = new MemoryNetwork();
 * const open = (name: string) =>
 *   LinkHub.open({
 *     transport: network,
 *     identity: { app: 'demo', name, maxFrameBytes: 1_000_000 },
 *     onMessage: (peer, bytes) => console.log(name, 'got', bytes.length, 'bytes from', peer),
 *     onPeer: (peer, event) => console.log(name, peer, event),
 *     onError: (error) => console.error(error.message),
 *   });
 *
 * const [a, b] = await Promise.all([open('a'), open('b')]);
 * a.connect('b', b.address);
 * b.connect('a');
 * a.send('b', new TextEncoder().encode('hello'));
 * await a.acked('b');
 * await Promise.all([a.close(), b.close()]);
 * ```
 */
export class LinkHub {
  readonly #links = new Map<string, Link>();
  /** Peers with a connection, including those for which `connect` has not been called yet. */
  readonly #connected = new Set<string>();
  readonly #heartbeat: Heartbeat;
  readonly #clock: Clock;
  readonly #quota: LogQuota;
  #endpoint!: Endpoint;
  #closing: Promise<void> | undefined;

  private constructor(private readonly options: LinkHubOptions) {
    assertHubOptionNames(options);
    const { clock = systemClock, heartbeatMs = 1_000, silenceMs = 5_000 } = options;
    this.#clock = clock;
    this.#quota = new LogQuota(clock);
    assertHubOptions(options.identity, heartbeatMs, silenceMs);
    this.#heartbeat = new Heartbeat({
      clock,
      heartbeatMs,
      silenceMs,
      ping: (peer) => this.#transmit(peer, PING_FRAME),
      silent: (peer, forMs) => this.#tell(peer, 'silent', `no frame received for ${forMs} ms`),
      alive: (peer) => this.#tell(peer, 'alive', 'frames arrive again'),
    });
  }

  /** Opens the links of a process. Resolves when peers can reach it. @throws DataflowError */
  static async open(options: LinkHubOptions): Promise<LinkHub> {
    const hub = new LinkHub(options);
    hub.#endpoint = await options.transport.open(options.identity, {
      frame: (peer, bytes) => hub.#frame(peer, bytes),
      up: (peer) => hub.#up(peer),
      down: (peer, why) => hub.#down(peer, why),
      failed: (error, peer) => hub.#refused(error, peer),
    });
    return hub;
  }

  /** Address that a peer passes to `connect`. */
  get address(): string {
    return this.#endpoint.address;
  }

  /** Maximum length of a message, in bytes. */
  get maxMessageBytes(): number {
    return this.#endpoint.maxFrameBytes - DATA_HEAD_BYTES;
  }

  /**
   * Links with a peer, now or as soon as it is reachable. One of the two sides passes the other's address. A second
   * call with the same address does nothing. A call with a new address moves the link there without losing messages.
   *
   * Messages from a peer wait until this is called.
   *
   * @throws LinkClosedError after `close`
   */
  connect(peer: string, address?: string): void {
    if (this.#closing) throw new LinkClosedError(this.options.identity.name);
    assertPeerName(peer, 'connect(peer)');
    if (!this.#links.has(peer)) this.#links.set(peer, this.#createLink(peer));
    this.#endpoint.link(peer, address);
    const link = this.#links.get(peer)!;
    if (this.#connected.has(peer) && link.channel.state === 'waiting') link.channel.up();
  }

  /**
   * Sends a message, or keeps it until there is a connection. The caller must not change the bytes afterwards. Does
   * nothing after `close`, and after the link has failed.
   *
   * @throws UnknownPeerError without `connect`, OversizedFrameError over `maxMessageBytes`
   */
  send(peer: string, bytes: Uint8Array): void {
    const link = this.#links.get(peer);
    if (!link) {
      if (this.#closing) return;
      throw new UnknownPeerError(peer, [...this.#links.keys()]);
    }
    if (bytes.length > this.maxMessageBytes) throw new OversizedFrameError(peer, bytes.length, this.maxMessageBytes);
    link.channel.send(bytes);
  }

  /**
   * Resolves with true when the peer has received everything sent so far, and with false if the link ends or is reset
   * first.
   */
  acked(peer: string): Promise<boolean> {
    return this.#links.get(peer)?.channel.acked() ?? Promise.resolve(false);
  }

  /**
   * Continues with a peer that has restarted. Both streams begin anew. Earlier messages are not sent again: they belong
   * to the earlier incarnation, and the owner decides what to repeat.
   *
   * @returns the messages that the earlier incarnation has not acknowledged, in order
   */
  reset(peer: string): Uint8Array[] {
    return this.#links.get(peer)?.channel.reset() ?? [];
  }

  /**
   * Ends a link and drops the messages that the peer has not received. A later `connect` looks like a restart to the
   * peer.
   */
  disconnect(peer: string): void {
    const link = this.#links.get(peer);
    if (!link) return;
    link.channel.end();
    this.#links.delete(peer);
    this.#heartbeat.forget(peer);
    this.#endpoint.unlink(peer);
  }

  status(peer: string): LinkStatus | undefined {
    const channel = this.#links.get(peer)?.channel;
    return (
      channel && { state: channel.state, unackedFrames: channel.unackedFrames, unackedBytes: channel.unackedBytes }
    );
  }

  /**
   * Ends all links after sending what can be sent. Does not wait for peers that do not read: await `acked` first where
   * that matters. No callback runs after this call. Further calls return the same promise.
   */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#heartbeat.stop();
    for (const { channel } of this.#links.values()) channel.end();
    this.#links.clear();
    try {
      await this.#endpoint.close();
    } catch (error) {
      this.#warn(`Could not close the transport of "${this.options.identity.name}": ${messageOf(error)}`);
    }
  }

  #createLink(peer: string): Link {
    const pulse = this.#heartbeat.watch(peer);
    const channel = new Channel({
      peer,
      clock: this.#clock,
      transmit: (head, body) => {
        pulse.spoken();
        return this.#transmit(peer, head, body);
      },
      deliver: (bytes) => this.#deliver(peer, bytes),
      opened: () => this.#tell(peer, 'up', 'connected and in sync'),
      restarted: (incarnation) => this.#tell(peer, 'restarted', `it is now incarnation ${incarnation}`),
      failed: (error) => this.#call(() => this.options.onError(error, peer)),
    });
    return { channel, pulse };
  }

  #frame(peer: string, bytes: Uint8Array): void {
    const link = this.#links.get(peer);
    if (!link) return;
    link.pulse.heard();
    if (!link.channel.receive(bytes))
      this.#warn(new MalformedFrameError(peer, 'it is not a frame of this protocol').message);
  }

  #up(peer: string): void {
    if (this.#closing) return;
    this.#connected.add(peer);
    this.#links.get(peer)?.channel.up();
  }

  #down(peer: string, why: string): void {
    this.#connected.delete(peer);
    const link = this.#links.get(peer);
    if (!link) return;
    link.channel.down();
    this.#tell(peer, 'down', why);
  }

  #refused(error: DataflowError, peer: string | undefined): void {
    if (this.#closing) return;
    this.#warn(error.message);
    const isOurs = peer !== undefined && this.#links.has(peer);
    if (isOurs && error instanceof HandshakeRefusedError) this.#tell(peer, 'refused', error.message);
  }

  #deliver(peer: string, bytes: Uint8Array): void {
    try {
      this.options.onMessage(peer, bytes);
    } catch (cause) {
      this.#call(() => this.options.onError(new MessageHandlerError(peer, cause), peer));
    }
  }

  #transmit(peer: string, head: Uint8Array, body?: Uint8Array): boolean {
    try {
      return this.#endpoint.send(peer, head, body);
    } catch (error) {
      this.#warn(`The transport could not send to "${peer}": ${messageOf(error)}`);
      return false;
    }
  }

  #tell(peer: string, event: PeerEvent, detail: string): void {
    if (!this.#closing) this.#call(() => this.options.onPeer(peer, event, detail));
  }

  #call(callback: () => void): void {
    try {
      callback();
    } catch (error) {
      this.#warn(`A link callback of "${this.options.identity.name}" threw: ${messageOf(error)}`);
    }
  }

  #warn(message: string): void {
    const line = this.#quota.pass(message);
    try {
      if (line !== undefined) this.options.logger?.warn(line);
    } catch {
      // The logger itself failed.
    }
  }
}
