import { kebabCase } from '@roost/kernel';
import { DuplicateConnectionError } from '../errors/duplicate-connection.error.js';
import { DuplicateNodeError } from '../errors/duplicate-node.error.js';
import { FanInError } from '../errors/fan-in.error.js';
import { InvalidConnectionError } from '../errors/invalid-connection.error.js';
import { InvalidDataflowOptionError } from '../errors/invalid-dataflow-option.error.js';
import { NotANodeError } from '../errors/not-a-node.error.js';
import { UnknownPortError } from '../errors/unknown-port.error.js';
import {
  assertNodeOptions,
  declarationOf,
  type NodeClass,
  nodeOptionsOf,
  type NodeOptions,
} from '../node/declaration.js';
import type { InputPort } from '../node/input-port.js';
import type { OutputPort } from '../node/output-port.js';
import { check } from '../option-checks.js';
import { isSpan, nanosecondsOf, type Span } from '../time/span.js';
import { type Delay, NO_DELAY, ONE_MICROSTEP } from '../time/tag.js';
import { type Connection, createModel, type NodeDraft } from './create-model.js';
import type { GraphModel } from './model.js';

/** Output of a node in a graph under construction. @publicApi */
export class OutputRef<out T> {
  declare protected readonly carries: () => T;

  /** @internal */
  constructor(
    /** @internal */
    readonly node: NodeDraft,
    /** @internal */
    readonly name: string,
  ) {}
}

/** Input of a node in a graph under construction. @publicApi */
export class InputRef<in T> {
  declare protected readonly carries: (value: T) => void;

  /** @internal */
  constructor(
    /** @internal */
    readonly node: NodeDraft,
    /** @internal */
    readonly name: string,
  ) {}
}

/** A node in a graph under construction. It has a reference for each port of the node's class. @publicApi */
export type NodeHandle<T> = {
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- ports of any payload type
  readonly [K in keyof T as T[K] extends InputPort<any> | OutputPort<any> ? K : never]: T[K] extends OutputPort<infer V>
    ? OutputRef<V>
    : T[K] extends InputPort<infer V>
      ? InputRef<V>
      : never;
};

/** Options of a connection. @publicApi */
export interface ConnectOptions {
  /** Delay of the connection in logical time. 0 is one microstep. @default no delay: values arrive at the same tag */
  after?: Span;
}

/** An output in a fan-in, with its own delay. @publicApi */
export interface MergedOutput<T> extends ConnectOptions {
  from: OutputRef<T>;
}

/**
 * Builds a graph: adds nodes and connects their ports.
 *
 * @example
 * ```ts
 * import {
 *   DataflowNode,
 *   type GraphBuilder,
 *   Input,
 *   InputPort,
 *   OnTimer,
 *   Output,
 *   OutputPort,
 *   Reaction,
 *   span,
 * } from '@roost/dataflow';
 *
 * @DataflowNode()
 * class SourceNode {
 *   @Output() out!: OutputPort<number>;
 *
 *   @OnTimer({ period: span.ms(10) })
 *   tick(): void {
 *     this.out.set(1);
 *   }
 * }
 *
 * @DataflowNode()
 * class SumNode {
 *   @Input() in!: InputPort<number>;
 *
 *   @Reaction('in')
 *   add(): void {
 *     console.log(this.in.values.length);
 *   }
 * }
 *
 * export function graph(g: GraphBuilder): void {
 *   const left = g.node(SourceNode, { name: 'left' });
 *   const right = g.node(SourceNode, { name: 'right' });
 *   const sum = g.node(SumNode);
 *   g.merge([left.out, { from: right.out, after: span.ms(5) }], sum.in);
 * }
 * ```
 *
 * @publicApi
 */
export class GraphBuilder {
  readonly #nodes = new Map<string, NodeDraft>();
  readonly #connections: Connection[] = [];
  /** By input, its first connection. */
  readonly #byInput = new Map<string, Connection>();
  readonly #pairs = new Set<string>();

  /**
   * Adds a node.
   *
   * @param options overrides for the options of `@DataflowNode()`. A class that is used more than once needs a name for
   * each node
   * @throws NotANodeError, DuplicateNodeError
   */
  node<T extends object>(type: NodeClass<T>, options: NodeOptions = {}): NodeHandle<T> {
    const own = typeof type === 'function' ? nodeOptionsOf(type) : undefined;
    if (!own) throw new NotANodeError(type);
    assertNodeOptions(options, 'node');
    const merged = { name: nodeNameOf(type.name), ...own, ...options };
    assertName(merged.name);
    const existing = this.#nodes.get(merged.name);
    if (existing) throw new DuplicateNodeError(merged.name, existing.type.name, type.name);
    const draft: NodeDraft = { type, declaration: declarationOf(type), ...merged };
    this.#nodes.set(merged.name, draft);
    return handleOf(draft) as NodeHandle<T>;
  }

  /**
   * Connects an output to an input in logical time. Every value of the output arrives. An output may have many
   * connections.
   *
   * @throws DuplicateConnectionError, FanInError, InvalidConnectionError
   */
  connect<T>(from: OutputRef<T>, to: InputRef<T>, options: ConnectOptions = {}): void {
    this.#refuseFanIn(from, to);
    this.#add(from, to, delayOf(options, 'connect'), false);
  }

  /**
   * Connects an output to an input outside of logical time. Each value gets its tag from the receiver's clock when it
   * arrives, so the result is not deterministic. The receiver never waits for these values.
   *
   * @throws DuplicateConnectionError, FanInError, InvalidConnectionError
   */
  connectPhysical<T>(from: OutputRef<T>, to: InputRef<T>): void {
    this.#refuseFanIn(from, to);
    this.#add(from, to, NO_DELAY, true);
  }

  /**
   * Connects several outputs to one input. `values` of the input holds all values of a tag, in the order given here.
   *
   * @throws DuplicateConnectionError, FanInError, InvalidConnectionError
   */
  merge<T>(outputs: readonly (OutputRef<T> | MergedOutput<T>)[], to: InputRef<T>): void {
    const sources = outputs.map((one) => (one instanceof OutputRef ? { from: one } : { ...one }));
    if (sources[0]) this.#refuseFanIn(sources[0].from, to);
    for (const { from, ...options } of sources) {
      this.#check(from, to);
      this.#add(from, to, delayOf(options, 'merge'), false);
    }
  }

  /**
   * Checks the graph and builds its model.
   *
   * @throws ZeroDelayCycleError, UnknownPortError, InvalidDataflowOptionError
   * @internal
   */
  build(): GraphModel {
    return createModel([...this.#nodes.values()], this.#connections);
  }

  #refuseFanIn(from: OutputRef<unknown>, to: InputRef<never>): void {
    this.#check(from, to);
    const other = this.#byInput.get(show(to));
    if (other) throw new FanInError(show(to), [show(other.from), show(from)]);
  }

  #add(from: OutputRef<unknown>, to: InputRef<never>, delay: Delay, isPhysical: boolean): void {
    const connection = { from, to, delay, isPhysical };
    this.#connections.push(connection);
    this.#pairs.add(`${show(from)} ${show(to)}`);
    if (!this.#byInput.has(show(to))) this.#byInput.set(show(to), connection);
  }

  #check(from: OutputRef<unknown>, to: InputRef<never>): void {
    for (const [ref, type, what] of [
      [from, OutputRef, 'an output'],
      [to, InputRef, 'an input'],
    ] as const) {
      if (!(ref instanceof type)) throw new InvalidConnectionError(what, ref);
      if (this.#nodes.get(ref.node.name) !== ref.node)
        throw new InvalidConnectionError(`${what} of this graph`, show(ref));
    }
    if (this.#pairs.has(`${show(from)} ${show(to)}`)) throw new DuplicateConnectionError(show(from), show(to));
  }
}

const show = ({ node, name }: { node: NodeDraft; name: string }): string => `${node.name}.${name}`;

function delayOf(options: ConnectOptions, method: string): Delay {
  check.knownKeys(options, ['after'], method);
  const { after } = options;
  if (after === undefined) return NO_DELAY;
  if (!isSpan(after)) throw new InvalidDataflowOptionError('after', after, 'a span such as span.ms(5)');
  const time = nanosecondsOf(after);
  return time === 0 ? ONE_MICROSTEP : { time, microstep: 0 };
}

const nodeNameOf = (className: string): string => kebabCase(className.replace(/(?<=.)Node$/, ''));

/** Names appear in subjects, log lines and diagrams. */
function assertName(name: unknown): asserts name is string {
  if (typeof name === 'string' && /^[\w-]{1,100}$/.test(name)) return;
  throw new InvalidDataflowOptionError('name of a node', name, '1 to 100 letters, digits, "-" or "_"');
}

function handleOf(node: NodeDraft): object {
  const { inputs, outputs } = node.declaration;
  const ports: Record<string, object> = {};
  for (const name of inputs.keys()) ports[name] = new InputRef(node, name);
  for (const name of outputs) ports[name] = new OutputRef(node, name);
  return new Proxy(Object.freeze(ports), {
    get: (target, key) => {
      if (typeof key === 'symbol' || Object.hasOwn(target, key)) return Reflect.get(target, key) as unknown;
      throw new UnknownPortError(node.name, key, Object.keys(target));
    },
  });
}
