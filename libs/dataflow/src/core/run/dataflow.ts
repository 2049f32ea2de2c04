import { DataflowNotRunningError } from '../errors/dataflow-not-running.error.js';
import { StopForcedError } from '../errors/stop-forced.error.js';
import { GraphBuilder } from '../graph/builder.js';
import { toDot, toMermaid } from '../graph/diagrams.js';
import type { GraphModel, NodeModel } from '../graph/model.js';
import type { StopRequest } from '../node/context.js';
import type { NodeClass } from '../node/declaration.js';
import type { DataflowReport } from '../report.js';
import type { DataflowRun, StopGrant } from './dataflow-run.js';
import type { GraphDescription } from './describe.js';
import { EmbeddedRun } from './embedded-run.js';
import { type DataflowOptions, type ResolvedDataflowOptions, resolveDataflowOptions } from './options.js';
import { assertFits, type Recording } from './recording.js';

/** @publicApi */
export type DataflowState = 'ready' | 'running' | 'stopping' | 'stopped';

/** Makes a run of a checked graph in some placement. */
export interface Placement {
  (graph: GraphModel, options: ResolvedDataflowOptions, instanceOf: (node: NodeModel) => object): DataflowRun;
  /** Names of the options of the placement. They may be in one object with those of the graph. */
  readonly optionNames?: readonly string[];
}

const embedded: Placement = (graph, options, instanceOf) => new EmbeddedRun(graph, options, instanceOf);

/**
 * A graph of nodes in logical time, and its one run.
 *
 * @publicApi
 */
export class Dataflow {
  #end!: (running: Promise<DataflowReport>) => void;
  readonly options: ResolvedDataflowOptions;
  /** The same as `run()` returns, for who does not begin it. */
  readonly ended = new Promise<DataflowReport>((resolve) => (this.#end = resolve));
  /** @internal */
  readonly graph: GraphModel;
  readonly #placement: Placement;
  readonly #createNode: (type: NodeClass, name: string) => object;
  readonly #instances = new Map<string, object>();
  #run: DataflowRun | undefined;
  #running: Promise<DataflowReport> | undefined;
  #report: DataflowReport | undefined;
  #state: DataflowState = 'ready';

  /**
   * Checks the graph. Nothing runs yet.
   *
   * @param createNode makes the instance of a node. @default `new type()`
   * @throws every error about a graph
   */
  constructor(
    options: DataflowOptions,
    createNode: (type: NodeClass, name: string) => object = (type) => new (type as new () => object)(),
    placement: Placement = embedded,
  ) {
    this.options = resolveDataflowOptions(options, placement.optionNames);
    this.#createNode = createNode;
    this.#placement = placement;
    const builder = new GraphBuilder();
    this.options.graph(builder);
    this.graph = builder.build();
    if (this.options.replay) assertFits(this.options.replay, this.graph);
    // Who begins the run is told.
    this.ended.catch(() => undefined);
  }

  get state(): DataflowState {
    return this.#state;
  }

  /**
   * Begins the run. Calling it again returns the same promise.
   *
   * @returns how it ended; it never rejects because of what a node did
   */
  run(): Promise<DataflowReport> {
    if (!this.#running) {
      this.#running = this.#begin();
      this.#end(this.#running);
    }
    return this.#running;
  }

  /** How the run has ended. */
  get report(): DataflowReport | undefined {
    return this.#report;
  }

  /**
   * Stops the graph at one tag everywhere. Every event up to it is handled, none after it, and then every node shuts down.
   * May be called again: the earliest tag that can still be had wins.
   *
   * @throws DataflowNotRunningError before `run()` and after the end
   */
  async requestShutdown(request: StopRequest = {}): Promise<StopGrant> {
    if (!this.#run || !this.#isUnderWay) throw new DataflowNotRunningError(this.#state);
    const grant = this.#run.requestStop(request);
    if (request.at === undefined && request.after === undefined) this.#state = 'stopping';
    return grant;
  }

  /** Stops at once: events are lost, and the report says `forced`. Resolves when the nodes have shut down, or had their time. */
  async forceStop(reason: string, exitCode = 1): Promise<void> {
    if (!this.#run || !this.#isUnderWay) return;
    this.#state = 'stopping';
    await this.#run.force(new StopForcedError(reason, exitCode));
  }

  /** The instance of a node that runs in this process. */
  node<T extends object = object>(name: string): T | undefined {
    return this.#instances.get(name) as T | undefined;
  }

  /** The graph as it is now. */
  describe(): GraphDescription {
    return this.#active().describe();
  }

  /** A diagram, for Markdown and https://mermaid.live. */
  toMermaid(): string {
    return toMermaid(this.graph);
  }

  /** A diagram, for Graphviz. */
  toDot(): string {
    return toDot(this.graph);
  }

  /** What came from outside so far, with `record: true`. */
  recording(): Recording {
    return this.#active().recording();
  }

  get #isUnderWay(): boolean {
    return this.#state === 'running' || this.#state === 'stopping';
  }

  /** Makes the nodes. Done by `run()`, if not before. */
  #active(): DataflowRun {
    return (this.#run ??= this.#placement(this.graph, this.options, (node) => this.#instanceOf(node)));
  }

  #instanceOf({ name, type }: NodeModel): object {
    const instance = this.#createNode(type, name);
    this.#instances.set(name, instance);
    return instance;
  }

  async #begin(): Promise<DataflowReport> {
    const run = this.#active();
    this.#state = 'running';
    try {
      return (this.#report = await run.run());
    } finally {
      this.#state = 'stopped';
    }
  }
}
