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

/** Output of a node of a graph that is being built. @publicApi */
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

/** Input of a node of a graph that is being built. @publicApi */
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

/** A node of a graph that is being built, by the properties of its class that are ports. @publicApi */
export type NodeHandle<T> = {
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- whatever it carries
  readonly [K in keyof T as T[K] extends InputPort<any> | OutputPort<any> ? K : never]: T[K] extends OutputPort<infer V>
    ? OutputRef<V>
    : T[K] extends InputPort<infer V>
      ? InputRef<V>
      : never;
};

/** @publicApi */
export interface ConnectOptions {
  /** How much later the value arrives; 0 is one microstep. @default the same tag */
  after?: Span;
}

/** An output of a fan-in, with a delay of its own. @publicApi */
export interface MergedOutput<T> extends ConnectOptions {
  from: OutputRef<T>;
}

/** What a graph is described with. @publicApi */
export class GraphBuilder {
  readonly #nodes = new Map<string, NodeDraft>();
  readonly #connections: Connection[] = [];
  /** The first connection of each input that has one. */
  readonly #byInput = new Map<string, Connection>();
  readonly #pairs = new Set<string>();

  /**
   * Adds a node.
   *
   * @param options override those of `@DataflowNode()`; a class that is used more than once needs a name for each
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
   * Lets every value of an output arrive at an input, in logical time. An output may have many connections.
   *
   * @throws DuplicateConnectionError, FanInError, InvalidConnectionError
   */
  connect<T>(from: OutputRef<T>, to: InputRef<T>, options: ConnectOptions = {}): void {
    this.#refuseFanIn(from, to);
    this.#add(from, to, delayOf(options, 'connect'), false);
  }

  /**
   * Lets every value of an output arrive at an input when it gets there, by the receiver's clock: for what need not be
   * deterministic. The receiver never waits for it.
   *
   * @throws DuplicateConnectionError, FanInError, InvalidConnectionError
   */
  connectPhysical<T>(from: OutputRef<T>, to: InputRef<T>): void {
    this.#refuseFanIn(from, to);
    this.#add(from, to, NO_DELAY, true);
  }

  /**
   * Connects several outputs to one input. What arrives at one tag is in `values`, in the order given here.
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

  /** @throws ZeroDelayCycleError, UnknownPortError, InvalidDataflowOptionError @internal */
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

/** Names are parts of subjects, of log lines and of diagrams. */
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
