import type { Timer } from '@roost/time';
import { DataflowError } from '../errors/dataflow.error.js';
import { LinkHub, type PeerEvent } from '../link/link-hub.js';
import type { ResolvedDataflowOptions } from '../run/options.js';
import { decode, encode } from './wire/codec.js';
import type { Message } from './wire/messages.js';
import type { ResolvedProcessOptions } from './options.js';
import { PeerWatch } from './peer-timeouts.js';
import type { ProcessPlan } from './plan.js';

/** What a process does about what comes over its links. */
export interface LinksHost {
  message(from: string, message: Message): void;
  /** A process was out of reach for `crashAfterMs`. It may be back later. */
  lost(peer: string, why: string): void;
  back(peer: string): void;
  /** It has lost its memory. Its link stands still until `reset`. */
  restarted(peer: string): void;
  failed(error: DataflowError): void;
}

/** The links of a process with the coordinator, and with those to or from which a connection leads. */
export class Links {
  readonly #watch: PeerWatch;
  #hub: LinkHub | undefined;
  #isClosed = false;

  constructor(
    private readonly plan: ProcessPlan,
    private readonly options: ResolvedProcessOptions,
    private readonly dataflow: ResolvedDataflowOptions,
    private readonly host: LinksHost,
  ) {
    this.#watch = new PeerWatch(dataflow.clock, options.crashAfterMs, (peer, why) => host.lost(peer, why));
  }

  /** @returns the address of this process; nothing if it was closed in the meantime @throws DataflowError */
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
      onMessage: (peer, bytes) => host.message(peer, decode(bytes, peer)),
      onPeer: (peer, event, detail) => this.#peer(peer, event, detail),
      onError: (error) => host.failed(error.cause instanceof DataflowError ? error.cause : error),
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

  /** Links with a process if a connection leads to or from it. One of the two dials. */
  meet(peer: string, address: string): void {
    const { process } = this.options;
    const isNeighbour = this.plan.crossEdges.some(
      ({ from, to }) =>
        (from.process === process && to.process === peer) || (from.process === peer && to.process === process),
    );
    if (!isNeighbour || peer === process || [peer, process].includes(this.plan.coordinator)) return;
    this.#hub!.connect(peer, process < peer ? address : undefined);
    if (!this.isUp(peer)) this.#watch.tell(peer, 'down', 'there was none yet');
  }

  /** Nothing is expected from it, and nothing said to it any more. */
  part(peer: string): void {
    this.#watch.forget(peer);
    this.#hub?.disconnect(peer);
  }

  /** Goes on with one that was restarted. What was sent to it before is forgotten. */
  reset(peer: string): void {
    this.#hub?.reset(peer);
  }

  /** Does nothing before `open()` is done. @throws OversizedFrameError */
  send(peer: string, message: Message | Uint8Array): void {
    this.#hub?.send(peer, message instanceof Uint8Array ? message : encode(message));
  }

  isUp(peer: string): boolean {
    return this.#hub?.status(peer)?.state === 'open';
  }

  /** True when they have received what was sent to them until now; false if that will never be. */
  async received(peers: readonly string[]): Promise<boolean> {
    const received = await Promise.all(peers.map((peer) => this.#hub?.acked(peer) ?? Promise.resolve(false)));
    return received.every(Boolean);
  }

  /** Waits for some to receive what was said to them, but not for ever: then nobody takes the end of this process for a crash. */
  async close(peers: readonly string[], withinMs: number): Promise<void> {
    this.#isClosed = true;
    // From here on others may be gone.
    this.#watch.stop();
    const hub = this.#hub;
    if (!hub) return;
    let timer: Timer | undefined;
    const tooLate = new Promise((resolve) => {
      timer = this.dataflow.clock.setTimer(withinMs, () => resolve(undefined));
    });
    await Promise.race([this.received(peers), tooLate]);
    timer?.cancel();
    await hub.close();
  }

  #peer(peer: string, event: PeerEvent, detail: string): void {
    this.#watch.tell(peer, event, detail);
    if (event === 'restarted') this.host.restarted(peer);
    if (event === 'up' || event === 'alive') this.host.back(peer);
  }
}
