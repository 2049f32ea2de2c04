import { type Deferred, deferred } from '@roost/kernel';
import { Dataflow, type DataflowReport } from './core/index.js';
import { DataflowNotBootedError } from './errors/dataflow-not-booted.error.js';

type DataflowArguments = ConstructorParameters<typeof Dataflow>;

/** A graph in an application: it begins when the application is up, and not once that goes down. */
export class ApplicationDataflow extends Dataflow {
  readonly #nodes: Map<string, object>;
  #isUp = false;
  #refusal: Error | undefined;
  /** Who has called `run()` too early. */
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

  /** Somebody outside of the graph wants it to stop now, or has wanted that. */
  get wasStopped(): boolean {
    return this.#wasStopped;
  }

  /** From now on nodes have their ports. */
  plugIn(nodes: ReadonlyMap<string, object>): void {
    for (const [name, node] of nodes) this.#nodes.set(name, node);
    this.describe();
  }

  /** The application has booted. */
  applicationIsUp(): void {
    this.#isUp = true;
    this.#waiting?.resolve(super.run());
  }

  /** The application is going down: a graph that has not begun by now never does. */
  refuse(why: Error): void {
    this.#refusal ??= why;
    this.#waiting?.reject(this.#refusal);
  }

  /**
   * Begins the run as soon as the application has booted. Calling it again changes nothing.
   *
   * @returns how it ended
   * @throws DataflowRefusedError when the application is shut down before it has begun
   */
  override run(): Promise<DataflowReport> {
    if (this.state !== 'ready' || (this.#isUp && !this.#refusal)) return super.run();
    if (!this.#waiting) {
      this.#waiting = deferred();
      // A caller may ignore how the run ends, and so that there is none.
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
