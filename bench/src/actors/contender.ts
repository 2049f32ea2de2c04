/** The message of all workloads. `type` is for libraries that dispatch on it. */
export class Message {
  readonly type = 'message';
}

export interface Receiver {
  tell(message: Message): void;
}

export interface Asker {
  ask(value: number): Promise<number>;
}

/** A set of idle actors. */
export interface Population {
  spawn(count: number): void | Promise<void>;
  /** Lets each actor handle one message. */
  touch?(): Promise<void>;
  /** Resolves when all actors have stopped. */
  stop(): Promise<void>;
}

/** A library in the benchmark. It omits what it does not support. */
export interface Contender {
  /** Creates actors that call `handle` for each message. */
  spawn(count: number, handle: (message: Message) => void): Receiver[] | Promise<Receiver[]>;
  /** Creates an actor that waits for `handle` before it takes the next message. */
  spawnAsync?(handle: (message: Message) => Promise<void>): Receiver | Promise<Receiver>;
  /** Creates an actor that replies. */
  spawnAsker?(answer: (value: number) => number): Asker | Promise<Asker>;
  population?(): Population | Promise<Population>;
  /** Fraction of a workload that it runs, if the complete workload would take minutes. */
  readonly share?: number;
}
