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

/** State of a graph. @publicApi */
export type DataflowState = 'ready' | 'running' | 'stopping' | 'stopped';

/** Creates the run of a checked graph in some placement. */
export interface Placement {
  (graph: GraphModel, options: ResolvedDataflowOptions, instanceOf: (node: NodeModel) => object): DataflowRun;
  /** Names of the placement's options. They may be in the same object as the options of the graph. */
  readonly optionNames?: readonly string[];
}

const embedded: Placement = (graph, options, instanceOf) => new EmbeddedRun(graph, options, instanceOf);

/**
 * A graph of nodes in logical time, and its single run. Works without Nest; in Nest, `DataflowModule` provides it.
 *
 * @example
 * ```ts
 * import { Dataflow, DataflowNode, OnTimer, Output, OutputPort, span } from '@roost/dataflow/core';
 *
 * @DataflowNode()
 * class SourceNode {
 *   @Output() out!: OutputPort<number>;
 *
 *   @OnTimer({ period: span.seconds(1) })
 *   tick(): void {
 *     this.out.set(1);
 *   }
 * }
 *
 * const dataflow = new Dataflow({
 *   graph: (g) => g.node(SourceNode),
 *   timeout: span.seconds(10),
 *   fast: true, // does not wait for the clock
 * });
 * const { status, stopTag, digest } = await dataflow.run();
 * console.log(status, stopTag, digest);
 * ```
 *
 * @publicApi
 */
export class Dataflow {
  #end!: (running: Promise<DataflowReport>) => void;
  readonly options: ResolvedDataflowOptions;
  /** Settles like the promise of `run()`, for code that does not start the run. */
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
   * @param createNode creates the instance of a node. @default `new type()`
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
    // The caller of `run()` handles the rejection.
    this.ended.catch(() => undefined);
  }

  get state(): DataflowState {
    return this.#state;
  }

  /**
   * Starts the run. Further calls return the same promise.
   *
   * @returns the report of the run. An error in a node does not reject the promise
   */
  run(): Promise<DataflowReport> {
    if (!this.#running) {
      this.#running = this.#begin();
      this.#end(this.#running);
    }
    return this.#running;
  }

  /** The report of the run. Undefined until it has ended. */
  get report(): DataflowReport | undefined {
    return this.#report;
  }

  /**
   * Stops the graph at one tag in all processes. Every event up to that tag is handled and none after it. Then every
   * node shuts down. May be called again: the earliest tag that is still possible wins.
   *
   * @throws DataflowNotRunningError before `run()` and after the end of the run
   */
  async requestShutdown(request: StopRequest = {}): Promise<StopGrant> {
    if (!this.#run || !this.#isUnderWay) throw new DataflowNotRunningError(this.#state);
    const grant = this.#run.requestStop(request);
    if (request.at === undefined && request.after === undefined) this.#state = 'stopping';
    return grant;
  }

  /**
   * Stops by force: events are lost, and the status of the report is `forced`. Resolves when the shutdown methods of the
   * nodes have finished or timed out. Does nothing if the graph is not running.
   */
  async forceStop(reason: string, exitCode = 1): Promise<void> {
    if (!this.#run || !this.#isUnderWay) return;
    this.#state = 'stopping';
    await this.#run.force(new StopForcedError(reason, exitCode));
  }

  /** Returns the instance of a node that runs in this process. */
  node<T extends object = object>(name: string): T | undefined {
    return this.#instances.get(name) as T | undefined;
  }

  /** Describes the current state of the graph. */
  describe(): GraphDescription {
    return this.#active().describe();
  }

  /** Returns a Mermaid diagram, for Markdown and https://mermaid.live. */
  toMermaid(): string {
    return toMermaid(this.graph);
  }

  /** Returns a diagram for Graphviz. */
  toDot(): string {
    return toDot(this.graph);
  }

  /**
   * Returns the recording so far. It contains external input only with `record: true`.
   *
   * @example
   * ```ts
   * import { Dataflow, DataflowNode, type GraphBuilder, PhysicalAction, Reaction } from '@roost/dataflow/core';
   *
   * @DataflowNode()
   * class SensorNode {
   *   @PhysicalAction() reading!: PhysicalAction<number>;
   *
   *   @Reaction('reading')
   *   print(): void {
   *     console.log(this.reading.value);
   *     this.reading.close();
   *   }
   * }
   *
   * const graph = (g: GraphBuilder) => g.node(SensorNode);
   * const original = new Dataflow({ graph, record: true });
   * const running = original.run();
   * original.node<SensorNode>('sensor')!.reading.schedule(42);
   * const { digest } = await running;
   *
   * const replay = new Dataflow({ graph, replay: original.recording() });
   * console.log((await replay.run()).digest === digest); // true
   * ```
   */
  recording(): Recording {
    return this.#active().recording();
  }

  get #isUnderWay(): boolean {
    return this.#state === 'running' || this.#state === 'stopping';
  }

  /** Creates the nodes on first use, at the latest in `run()`. */
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
