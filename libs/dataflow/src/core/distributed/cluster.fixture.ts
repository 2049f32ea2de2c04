import { setImmediate } from 'node:timers';
import { ManualClock } from '@roost/time/testing';
import { Dataflow, type DataflowReport, type GraphBuilder, placeInProcess, type ProcessOptions } from '../index.js';
import { MemoryNetwork } from '../testing/memory-network.js';
import type { Transport } from '../link/transport.js';
import { RecordingLogger } from '../run/graph.fixture.js';
import type { GraphPlacement } from './plan.js';

export interface ClusterOptions {
  readonly graph: (g: GraphBuilder) => void;
  /** Without a coordinator, one runs in its own process. */
  readonly placement: GraphPlacement;
  /** The same seed gives the same steps. */
  readonly seed?: number;
  /** Options of every process. Runs are `fast` by default. */
  readonly options?: Partial<ProcessOptions>;
}

/** Time limit in ms, beyond which a run counts as stuck. */
const MAX_MS = 600_000;
const MAX_STEPS = 200_000;

/** One incarnation of a process. */
export class ClusterProcess {
  readonly clock: ManualClock;
  readonly logger = new RecordingLogger();
  readonly dataflow: Dataflow;
  report: DataflowReport | undefined;
  isFrozen = false;
  openEndpoints = 0;

  constructor(
    readonly name: string,
    { graph, placement, options }: ClusterOptions,
    network: Transport,
    now: number,
    own: Partial<ProcessOptions>,
  ) {
    this.clock = new ManualClock({ now });
    const all = { graph, fast: true, clock: this.clock, logger: this.logger, ...options, ...own };
    const transport = own.transport ?? this.#watched(network);
    this.dataflow = new Dataflow(all, undefined, placeInProcess({ placement, ...all, process: name, transport }));
  }

  get isListening(): boolean {
    return this.openEndpoints > 0 && !this.isFrozen;
  }

  run(): void {
    void this.dataflow.run().then((report) => (this.report = report));
  }

  node<T extends object>(name: string): T {
    return this.dataflow.node<T>(name)!;
  }

  #watched(network: Transport): Transport {
    return {
      open: async (self, events) => {
        const endpoint = await network.open(self, events);
        this.openEndpoints++;
        return {
          address: endpoint.address,
          maxFrameBytes: endpoint.maxFrameBytes,
          link: (peer, address) => endpoint.link(peer, address),
          unlink: (peer) => endpoint.unlink(peer),
          send: (peer, head, body) => endpoint.send(peer, head, body),
          close: () => endpoint.close().then(() => void this.openEndpoints--),
        };
      },
    };
  }
}

/**
 * Several processes of a graph in one. Its network and clocks move only in `step`, at random but determined by a seed.
 */
export class Cluster {
  readonly network = new MemoryNetwork({ manual: true });
  readonly random: () => number;
  readonly names: readonly string[];
  readonly #alive = new Map<string, ClusterProcess>();
  readonly #guests = new Set<string>();
  readonly #weights = new Map<string, number>();
  #nowMs = 1_000_000;
  #steps = 0;

  constructor(private readonly options: ClusterOptions) {
    const { processes, coordinator = 'coordinator' } = options.placement;
    this.names = [...new Set([...Object.keys(processes), coordinator])];
    this.random = randomNumbers(options.seed ?? 1);
  }

  static started(options: ClusterOptions): Cluster {
    const cluster = new Cluster(options);
    for (const name of cluster.names) cluster.start(name);
    return cluster;
  }

  /** Starts a process, or restarts it. */
  start(name: string, own: Partial<ProcessOptions> = {}): ClusterProcess {
    const process = new ClusterProcess(name, this.options, this.network, this.#nowMs, own);
    this.#alive.set(name, process);
    process.run();
    return process;
  }

  get(name: string): ClusterProcess {
    return this.#alive.get(name)!;
  }

  get alive(): ClusterProcess[] {
    return [...this.#alive.values()];
  }

  /** Returns the instance of a node in any process. */
  node<T extends object>(name: string): T {
    return this.alive.map((process) => process.dataflow.node<T>(name)).find((node) => node !== undefined)!;
  }

  /** Delivers messages to a name that is not one of the processes. */
  listen(name: string): void {
    this.#guests.add(name);
  }

  /** Ends a process without notice. */
  kill(name: string): void {
    this.network.kill(name);
    this.#alive.delete(name);
  }

  /** Pauses a process, its clock and messages to it. Its clock is late from then on. */
  freeze(name: string): void {
    this.get(name).isFrozen = true;
  }

  thaw(name: string): void {
    this.get(name).isFrozen = false;
  }

  get nowMs(): number {
    return this.#nowMs;
  }

  /** Delivers one item, or advances time to the next timer. */
  async step(mostMs = 1_000): Promise<void> {
    if (++this.#steps > MAX_STEPS) throw new Error(`did not end within ${MAX_STEPS} steps:\n${this.show()}`);
    if (this.#routes().length === 0) await settle();
    const routes = this.#routes();
    let rest = this.random() * routes.reduce((sum, route) => sum + this.#weightOf(route), 0);
    const chosen = routes.find((route) => (rest -= this.#weightOf(route)) < 0) ?? routes[0];
    if (chosen) this.network.step(chosen.index);
    else await this.advance(Math.min(mostMs, ...this.#running().map(({ clock }) => clock.nextTimerInMs ?? Infinity)));
    await settle();
  }

  async advance(ms: number): Promise<void> {
    this.#nowMs += ms;
    for (const { clock } of this.#running()) await clock.advanceAsync(ms);
  }

  async until(isDone: () => boolean, endMs = Infinity): Promise<void> {
    const giveUpAt = this.#nowMs + MAX_MS;
    while (!isDone() && this.#nowMs < endMs) {
      if (this.#nowMs > giveUpAt) throw new Error(`did not end within ${MAX_MS} ms:\n${this.show()}`);
      await this.step(Math.min(1_000, endMs - this.#nowMs));
    }
  }

  /** Runs for the given time, or until the run has ended. */
  async runFor(ms: number): Promise<void> {
    await this.until(() => this.isOver, this.#nowMs + ms);
  }

  get isOver(): boolean {
    return this.alive.every(({ report }) => report !== undefined);
  }

  /**
   * Runs until all running processes have ended, and checks that nothing is left open.
   *
   * @returns the reports by process
   */
  async run(): Promise<Record<string, DataflowReport>> {
    await this.until(() => this.isOver);
    await settle();
    for (const { name, clock, openEndpoints } of this.alive) {
      expect({ name, timers: clock.pendingTimers, openEndpoints }).toEqual({ name, timers: 0, openEndpoints: 0 });
    }
    return Object.fromEntries(this.alive.map(({ name, report }) => [name, report!]));
  }

  /** Describes the state, for a run that hangs. */
  show(): string {
    const processes = this.alive.map(({ name, dataflow, report, logger }) => {
      const nodes = dataflow.describe().nodes.filter(({ tag }) => tag !== undefined);
      const state = nodes.map((node) => `${node.name} at ${node.tag!.time}.${node.tag!.microstep} +${node.queued}`);
      return `${name} ${report?.status ?? 'runs'}: ${state.join(', ')}\n  ${logger.lines.slice(-5).join('\n  ')}`;
    });
    return `seed ${this.options.seed}\n${processes.join('\n')}`;
  }

  #routes(): { from: string; to: string; index: number }[] {
    return this.network.pending
      .map((route, index) => ({ ...route, index }))
      .filter(({ to }) => this.#guests.has(to) || this.#alive.get(to)?.isListening);
  }

  #running(): ClusterProcess[] {
    return this.alive.filter(({ isFrozen }) => !isFrozen);
  }

  /** Some routes are up to a hundred times as fast as others. */
  #weightOf({ from, to }: { from: string; to: string }): number {
    const key = `${from} ${to}`;
    const known = this.#weights.get(key) ?? 100 ** this.random();
    this.#weights.set(key, known);
    return known;
  }
}

/** Checks that all processes have the same report. @returns that report */
export function agreed(reports: Record<string, DataflowReport>): DataflowReport {
  const [first, ...others] = Object.values(reports).map(({ error: _, ...rest }) => rest);
  for (const other of others) expect(other).toEqual(first);
  return { ...first!, error: undefined };
}

/** Lets every queued promise continuation run. */
export const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Returns a generator of numbers between 0 and 1, determined by the seed. */
export function randomNumbers(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
