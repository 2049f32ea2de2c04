import { settlesWithin } from '@roost/time';
import { DataflowError } from '../errors/dataflow.error.js';
import { LinkHub, type PeerEvent } from '../link/link-hub.js';
import type { ResolvedDataflowOptions } from '../run/options.js';
import type { ResolvedProcessOptions } from './options.js';
import { PeerTimeouts } from './peer-timeouts.js';
import type { ProcessPlan } from './plan.js';
import { decode, encode } from './wire/codec.js';
import type { ProtocolMessage } from './wire/messages.js';

/** Callbacks of the links of a process. */
export interface LinksHost {
  onMessage(from: string, message: ProtocolMessage): void;
  /** A process has been unreachable for `crashAfterMs`. It may return later. */
  onLost(peer: string, why: string): void;
  onReturned(peer: string): void;
  /** A process has lost its memory. Its link carries nothing until `reset`. */
  onRestarted(peer: string): void;
  onFailed(error: DataflowError): void;
}

/**
 * The links of a process to the coordinator and to every process that the graph connects with it. Each message arrives
 * once and in order, or the run fails. See docs/how-processes-agree.md#a-link-breaks-and-heals.
 */
export class Links {
  readonly #timeouts: PeerTimeouts;
  #hub: LinkHub | undefined;
  #isClosed = false;

  constructor(
    private readonly plan: ProcessPlan,
    private readonly options: ResolvedProcessOptions,
    private readonly dataflow: ResolvedDataflowOptions,
    private readonly host: LinksHost,
  ) {
    this.#timeouts = new PeerTimeouts(dataflow.clock, options.crashAfterMs, (peer, why) => host.onLost(peer, why));
  }

  /**
   * Opens the links.
   *
   * @returns the address of this process, or undefined if `close()` was called in the meantime
   * @throws DataflowError
   */
  async open(): Promise<string | undefined> {
    const { plan, options, dataflow, host } = this;
    const { transport, token, maxMessageBytes, heartbeatMs, crashAfterMs, process, coordinatorAddress } = options;
    const hub = await LinkHub.open({
      transport,
      identity: {
        app: plan.app,
        name: process,
        maxFrameBytes: maxMessageBytes,
        ...(token !== undefined && { token }),
      },
      clock: dataflow.clock,
      logger: dataflow.logger,
      heartbeatMs,
      silenceMs: crashAfterMs,
      onMessage: (peer, bytes) => host.onMessage(peer, decode(bytes, peer)),
      onPeer: (peer, event, detail) => this.#peer(peer, event, detail),
      onError: (error) => host.onFailed(error.cause instanceof DataflowError ? error.cause : error),
    });
    if (this.#isClosed) {
      await hub.close();
      return undefined;
    }
    this.#hub = hub;
    if (process !== plan.coordinator) hub.connect(plan.coordinator, coordinatorAddress);
    else for (const peer of plan.processes) if (peer !== process) hub.connect(peer);
    return hub.address;
  }

  /** Links with a process if the graph connects the two. One of them dials. */
  connect(peer: string, address: string): void {
    const { process } = this.options;
    const isNeighbour = this.plan.crossEdges.some(
      ({ from, to }) =>
        (from.process === process && to.process === peer) || (from.process === peer && to.process === process),
    );
    if (!isNeighbour || peer === process || [peer, process].includes(this.plan.coordinator)) return;
    this.#hub!.connect(peer, process < peer ? address : undefined);
    if (!this.isUp(peer)) this.#timeouts.observe(peer, 'down', 'never connected');
  }

  /** Ends the link with a process that was removed from the run. */
  disconnect(peer: string): void {
    this.#timeouts.forget(peer);
    this.#hub?.disconnect(peer);
  }

  /** Continues with a restarted process. Messages that it has not acknowledged are dropped. */
  reset(peer: string): void {
    this.#hub?.reset(peer);
  }

  /** Sends a message. Does nothing until `open()` has finished. @throws OversizedFrameError */
  send(peer: string, message: ProtocolMessage | Uint8Array): void {
    this.#hub?.send(peer, message instanceof Uint8Array ? message : encode(message));
  }

  isUp(peer: string): boolean {
    return this.#hub?.status(peer)?.state === 'open';
  }

  /** Resolves with true when the peers have received everything sent so far, and with false if they never will. */
  async received(peers: readonly string[]): Promise<boolean> {
    const received = await Promise.all(peers.map((peer) => this.#hub?.acked(peer) ?? Promise.resolve(false)));
    return received.every(Boolean);
  }

  /**
   * Closes the links. Waits up to `withinMs` for the peers to receive everything, so that they do not take the end for
   * a crash.
   */
  async close(peers: readonly string[], withinMs: number): Promise<void> {
    this.#isClosed = true;
    // From here on, peers close their links too, which is not a crash.
    this.#timeouts.stop();
    const hub = this.#hub;
    if (!hub) return;
    await settlesWithin(this.received(peers), withinMs, this.dataflow.clock);
    await hub.close();
  }

  #peer(peer: string, event: PeerEvent, detail: string): void {
    this.#timeouts.observe(peer, event, detail);
    if (event === 'restarted') this.host.onRestarted(peer);
    if (event === 'up' || event === 'alive') this.host.onReturned(peer);
  }
}
