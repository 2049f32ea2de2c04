import { setImmediate } from 'node:timers';
import { check } from '../option-checks.js';
import { LinkClosedError } from '../link/errors/link-closed.error.js';
import type { Endpoint, EndpointIdentity, Transport, TransportEvents } from '../link/transport.js';

/** Options of a `MemoryNetwork`. @publicApi */
export interface MemoryNetworkOptions {
  /** If true, nothing arrives until `step` is called. @default false */
  manual?: boolean;
}

/** One direction between two processes with items in flight. @publicApi */
export interface MemoryRoute {
  readonly from: string;
  readonly to: string;
  /** Number of frames and connection events in flight. */
  readonly underWay: number;
}

type Item = { up: Connection } | { down: Connection; why: string } | { frame: Uint8Array };

/** A connection, until it breaks. Frames sent over a broken connection are lost. */
interface Connection {
  isBroken: boolean;
}

interface Route {
  readonly from: string;
  readonly to: string;
  items: Item[];
}

/**
 * A transport within one process, and a network for tests that can be cut at any point. Frames of one direction arrive
 * in order. With `manual`, the test decides which direction moves next, so the same steps give the same run.
 *
 * @example
 * ```ts
 * import { Dataflow, DataflowNode, OnStart, placeInProcess, type ProcessOptions } from '@roost/dataflow/core';
 * import { MemoryNetwork } from '@roost/dataflow/testing';
 *
 * @DataflowNode()
 * class HelloNode {
 *   @OnStart()
 *   greet(): void {
 *     console.log('hello');
 *   }
 * }
 *
 * const transport = new MemoryNetwork();
 * const run = (process: string) => {
 *   const options: ProcessOptions = {
 *     graph: (g) => g.node(HelloNode),
 *     placement: { processes: { left: ['hello'] } },
 *     process,
 *     transport,
 *   };
 *   return new Dataflow(options, undefined, placeInProcess(options)).run();
 * };
 * await Promise.all([run('coordinator'), run('left')]);
 * ```
 *
 * @publicApi
 */
export class MemoryNetwork implements Transport {
  readonly #endpoints = new Map<string, MemoryEndpoint>();
  readonly #routes = new Map<string, Route>();
  readonly #connections = new Map<string, Connection>();
  readonly #cuts = new Set<string>();
  readonly #isManual: boolean;
  #isScheduled = false;

  constructor(options: MemoryNetworkOptions = {}) {
    check.knownKeys(options, ['manual'], 'MemoryNetwork');
    this.#isManual = options.manual ?? false;
  }

  /** Opens an endpoint. An endpoint with the same name is cut off, as if its process had been killed. */
  open(self: EndpointIdentity, events: TransportEvents): Promise<Endpoint> {
    this.kill(self.name);
    const endpoint = new MemoryEndpoint(this, self, events);
    this.#endpoints.set(self.name, endpoint);
    for (const other of this.#endpoints.keys()) this.#connect(self.name, other);
    return Promise.resolve(endpoint);
  }

  /** Routes on which something can arrive next, in a fixed order. */
  get pending(): MemoryRoute[] {
    return [...this.#routes.values()]
      .filter(({ items }) => items.length > 0)
      .map(({ from, to, items }) => ({ from, to, underWay: items.length }));
  }

  /** Delivers the first item of one of the `pending` routes. @returns false if nothing is in flight */
  step(index = 0): boolean {
    const routes = [...this.#routes.values()].filter(({ items }) => items.length > 0);
    const route = routes[index % Math.max(1, routes.length)];
    if (!route) return false;
    const item = route.items.shift()!;
    this.#endpoints.get(route.to)?.arrive(route.from, item);
    return true;
  }

  /**
   * Breaks the connection until `heal`. In each direction, only the first frames in flight still arrive, as many as
   * given.
   */
  cut(a: string, b: string, keepToB = 0, keepToA = 0): void {
    this.#cuts.add(pairOf(a, b));
    this.#break(a, b, 'the network was cut', keepToB, keepToA);
  }

  heal(a: string, b: string): void {
    if (this.#cuts.delete(pairOf(a, b))) this.#connect(a, b);
  }

  /** Silently loses the next frame in flight. */
  lose(from: string, to: string): void {
    const { items } = this.#route(from, to);
    const index = items.findIndex((item) => 'frame' in item);
    if (index >= 0) items.splice(index, 1);
  }

  /** Makes the next frame in flight arrive twice, the second time after all other frames in flight. */
  repeat(from: string, to: string): void {
    const { items } = this.#route(from, to);
    const isFrame = (item: Item): item is { frame: Uint8Array } => 'frame' in item;
    const frame = items.find(isFrame);
    if (frame) items.push({ frame: frame.frame.slice() });
    this.#schedule();
  }

  /** Ends a process without notice. Its frames in flight are lost. */
  kill(name: string): void {
    const endpoint = this.#endpoints.get(name);
    if (!endpoint) return;
    endpoint.isClosed = true;
    this.#remove(name, `${name} was killed`, 0);
  }

  /** @internal */
  linked(a: string, b: string): void {
    this.#connect(a, b);
  }

  /** @internal */
  unlinked(a: string, b: string): void {
    this.#break(a, b, 'unlinked', Infinity, 0);
    // The other side may still want the link.
    this.#connect(a, b);
  }

  /** @internal */
  closed(name: string): void {
    this.#remove(name, `${name} is closed`, Infinity);
  }

  /** @internal */
  push(from: string, to: string, frame: Uint8Array): void {
    this.#route(from, to).items.push({ frame });
    this.#schedule();
  }

  #remove(name: string, why: string, keep: number): void {
    this.#endpoints.delete(name);
    for (const other of this.#endpoints.keys()) {
      this.#break(name, other, why, keep, 0);
      // These items must not reach a later endpoint of the same name.
      this.#route(other, name).items = [];
    }
  }

  #connect(a: string, b: string): void {
    const pair = pairOf(a, b);
    const [left, right] = [this.#endpoints.get(a), this.#endpoints.get(b)];
    if (a === b || !left || !right || this.#cuts.has(pair) || this.#connections.has(pair)) return;
    if (!left.wants(b) && !right.wants(a)) return;
    const connection: Connection = { isBroken: false };
    this.#connections.set(pair, connection);
    this.#route(a, b).items.push({ up: connection });
    this.#route(b, a).items.push({ up: connection });
    this.#schedule();
  }

  #break(a: string, b: string, why: string, keepToB: number, keepToA: number): void {
    const connection = this.#connections.get(pairOf(a, b));
    if (!connection) return;
    this.#connections.delete(pairOf(a, b));
    connection.isBroken = true;
    for (const [route, keep] of [
      [this.#route(a, b), keepToB],
      [this.#route(b, a), keepToA],
    ] as const) {
      let frames = 0;
      route.items = route.items.filter((item) => !('frame' in item) || ++frames <= keep);
      route.items.push({ down: connection, why });
    }
    this.#schedule();
  }

  #route(from: string, to: string): Route {
    const key = `${from}\n${to}`;
    let route = this.#routes.get(key);
    if (!route) this.#routes.set(key, (route = { from, to, items: [] }));
    return route;
  }

  #schedule(): void {
    if (this.#isManual || this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      // Delivers only the items that are in flight now, so that other work can run in between.
      for (const { from, to, items } of this.#routes.values()) {
        for (const item of items.splice(0)) this.#endpoints.get(to)?.arrive(from, item);
      }
    });
  }
}

class MemoryEndpoint implements Endpoint {
  readonly address: string;
  readonly maxFrameBytes: number;
  isClosed = false;
  readonly #name: string;
  readonly #links = new Set<string>();
  /** Connections that this side knows, by peer. */
  readonly #connections = new Map<string, Connection>();

  constructor(
    private readonly network: MemoryNetwork,
    { name, maxFrameBytes }: EndpointIdentity,
    private readonly events: TransportEvents,
  ) {
    this.#name = this.address = name;
    this.maxFrameBytes = maxFrameBytes;
  }

  wants(peer: string): boolean {
    return this.#links.has(peer);
  }

  link(peer: string): void {
    if (this.isClosed) throw new LinkClosedError(this.#name);
    this.#links.add(peer);
    this.network.linked(this.#name, peer);
  }

  unlink(peer: string): void {
    this.#links.delete(peer);
    if (!this.isClosed) this.network.unlinked(this.#name, peer);
  }

  send(peer: string, head: Uint8Array, body: Uint8Array = new Uint8Array()): boolean {
    const connection = this.#connections.get(peer);
    if (!connection || this.isClosed) return false;
    if (connection.isBroken) return true;
    const frame = new Uint8Array(head.length + body.length);
    frame.set(head);
    frame.set(body, head.length);
    this.network.push(this.#name, peer, frame);
    return true;
  }

  arrive(peer: string, item: Item): void {
    if ('frame' in item) {
      this.events.frame(peer, item.frame);
    } else if ('up' in item) {
      this.#connections.set(peer, item.up);
      this.events.up(peer);
    } else if (this.#connections.get(peer) === item.down) {
      this.#connections.delete(peer);
      this.events.down(peer, item.why);
    }
  }

  close(): Promise<void> {
    if (!this.isClosed) {
      this.isClosed = true;
      this.network.closed(this.#name);
    }
    return Promise.resolve();
  }
}

const pairOf = (a: string, b: string): string => (a < b ? `${a}\n${b}` : `${b}\n${a}`);
