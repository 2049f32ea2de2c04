import { type Deferred, deferred } from '@roost/kernel';
import { Dataflow, type DataflowReport } from './core/index.js';
import { DataflowNotBootedError } from './errors/dataflow-not-booted.error.js';

type DataflowArguments = ConstructorParameters<typeof Dataflow>;

/** A graph inside a Nest application. It starts once the application has booted, and never after shutdown has begun. */
export class ApplicationDataflow extends Dataflow {
  readonly #nodes: Map<string, object>;
  #isUp = false;
  #refusal: Error | undefined;
  /** Result for callers of `run()` before the application has booted. */
  #waiting: Deferred<DataflowReport> | undefined;
  #wasStopped = false;

  constructor(options: DataflowArguments[0], placement?: DataflowArguments[2]) {
    const nodes = new Map<string, object>();
    const nodeOf = (_type: unknown, name: string): object => {
      const node = nodes.get(name);
      if (!node) throw new DataflowNotBootedError();
      return node;
    };
    super(options, nodeOf, placement);
    this.#nodes = nodes;
  }

  /** Whether a caller outside of the graph has requested an immediate stop. */
  get wasStopped(): boolean {
    return this.#wasStopped;
  }

  /** Sets the node instances and gives them their ports. */
  plugIn(nodes: ReadonlyMap<string, object>): void {
    for (const [name, node] of nodes) this.#nodes.set(name, node);
    this.describe();
  }

  /** Starts a run that was requested before the application had booted. */
  applicationIsUp(): void {
    this.#isUp = true;
    this.#waiting?.resolve(super.run());
  }

  /** Keeps a graph that has not started from ever starting, because the application is shutting down. */
  refuse(why: Error): void {
    this.#refusal ??= why;
    this.#waiting?.reject(this.#refusal);
  }

  /**
   * Starts the run as soon as the application has booted. Further calls have no effect.
   *
   * @returns the report of the run
   * @throws DataflowRefusedError when the application shuts down before the run starts
   */
  override run(): Promise<DataflowReport> {
    if (this.state !== 'ready' || (this.#isUp && !this.#refusal)) return super.run();
    if (!this.#waiting) {
      this.#waiting = deferred();
      // A caller may ignore the result, so a refusal must not become an unhandled rejection.
      this.#waiting.promise.catch(() => undefined);
      if (this.#refusal) this.#waiting.reject(this.#refusal);
    }
    return this.#waiting.promise;
  }

  override requestShutdown(
    ...[request]: Parameters<Dataflow['requestShutdown']>
  ): ReturnType<Dataflow['requestShutdown']> {
    const isUnderWay = this.state !== 'ready' && this.state !== 'stopped';
    if (isUnderWay && request?.at === undefined && request?.after === undefined) this.#wasStopped = true;
    return super.requestShutdown(request);
  }
}
