/** What is told in all workloads. `type` is there for those that go by it. */
export class Message {
  readonly type = 'message';
}

export interface Receiver {
  tell(message: Message): void;
}

export interface Asker {
  ask(value: number): Promise<number>;
}

/** A set of actors that do nothing. */
export interface Population {
  spawn(count: number): void | Promise<void>;
  /** Has each handle one message. */
  touch?(): Promise<void>;
  /** Resolves when all have ended. */
  stop(): Promise<void>;
}

/** A library in the bench. What it has no notion of it leaves out. */
export interface Contender {
  /** Actors that call `handle` for each message. */
  spawn(count: number, handle: (message: Message) => void): Receiver[] | Promise<Receiver[]>;
  /** An actor that waits for `handle` before it takes the next message. */
  spawnAsync?(handle: (message: Message) => Promise<void>): Receiver | Promise<Receiver>;
  /** An actor that replies. */
  spawnAsker?(answer: (value: number) => number): Asker | Promise<Asker>;
  population?(): Population | Promise<Population>;
  /** Which part of a workload it gets, if all of it would take minutes. */
  readonly share?: number;
}
