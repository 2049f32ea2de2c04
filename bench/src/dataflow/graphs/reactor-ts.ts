import { createRequire } from 'node:module';
import { chainOf, type PrepareGraph } from '../graph.js';

interface Port {
  get(): number | undefined;
  set(value: number): void;
}

/** The parts used here. Its own types are sources that do not compile with this compiler. */
interface ReactorTs {
  App: new (timeout: undefined, keepAlive: boolean, fast: boolean, success: () => void, failure: () => void) => AppLike;
  Reactor: new (parent: AppLike) => ReactorLike;
  InPort: new (container: ReactorLike) => Port;
  OutPort: new (container: ReactorLike) => Port;
  Timer: new (container: ReactorLike, offset: number, period: unknown) => object;
  Triggers: new (...triggers: object[]) => object;
  Args: new (...args: object[]) => object;
  TimeValue: { usec(count: number): unknown };
  Log: { global: { level: number }; levels: { ERROR: number } };
}

interface ReactorLike {
  addReaction(triggers: object, args: object, react: (this: Sandbox, ...args: never[]) => void): void;
  writable(port: Port): object;
}

interface AppLike extends ReactorLike {
  _connect(from: Port, to: Port): void;
  _start(): void;
}

interface Sandbox {
  util: { requestStop(): void };
}

const { App, Args, InPort, Log, OutPort, Reactor, TimeValue, Timer, Triggers } = createRequire(import.meta.url)(
  '@lf-lang/reactor-ts',
) as ReactorTs;

Log.global.level = Log.levels.ERROR;

class Source extends Reactor {
  readonly out = new OutPort(this);
  readonly timer = new Timer(this, 0, TimeValue.usec(1));

  constructor(parent: AppLike, events: number) {
    super(parent);
    let count = 0;
    this.addReaction(new Triggers(this.timer), new Args(this.writable(this.out)), function (out: Port) {
      out.set(++count);
      if (count === events) this.util.requestStop();
    });
  }
}

class Stage extends Reactor {
  readonly in = new InPort(this);
  readonly out = new OutPort(this);

  constructor(parent: AppLike) {
    super(parent);
    this.addReaction(
      new Triggers(this.in),
      new Args(this.in, this.writable(this.out)),
      function (input: Port, out: Port) {
        out.set(input.get()! + 1);
      },
    );
  }
}

class Sink extends Reactor {
  readonly in = new InPort(this);
  sum = 0;

  constructor(parent: AppLike) {
    super(parent);
    this.addReaction(new Triggers(this.in), new Args(this.in), (input: Port) => void (this.sum += input.get()!));
  }
}

class Chain extends App {
  readonly source: Source;
  readonly stages: readonly Stage[];
  readonly sink: Sink;

  constructor(nodes: number, events: number, ended: () => void) {
    super(undefined, false, true, ended, ended);
    this.source = new Source(this, events);
    this.stages = Array.from({ length: nodes - 2 }, () => new Stage(this));
    this.sink = new Sink(this);
    let { out } = this.source;
    for (const stage of this.stages) {
      this._connect(out, stage.in);
      ({ out } = stage);
    }
    this._connect(out, this.sink.in);
  }
}

export const prepare: PrepareGraph = (nodes, events) => ({
  ...chainOf(nodes, events),
  run: () =>
    new Promise((resolve) => {
      const chain: Chain = new Chain(nodes, events, () => resolve(chain.sink.sum));
      chain._start();
    }),
});
