import { type Contender, Message } from './contender.js';

/** One measurement. */
type Round = () => Promise<void>;

export interface Workload {
  /** Number of operations in a round. */
  readonly operations: number;
  /** Prepares a round. Returns undefined if the contender does not support it. */
  readonly prepare: (contender: Contender, operations: number) => Promise<Round | undefined>;
  /** Whether to prepare once and run every round with the same actors. @default new actors for every round */
  readonly sameActors?: boolean;
}

const FAN_OUT_ACTORS = 1_000;
const message = new Message();

/** Counts down the operations of a round. */
class Countdown {
  private left = 0;
  private resolve = (): void => undefined;

  begin(count: number): Promise<void> {
    this.left = count;
    return new Promise((resolve) => (this.resolve = resolve));
  }

  readonly step = (): void => {
    if (--this.left === 0) this.resolve();
  };
}

async function prepareTell(contender: Contender, operations: number): Promise<Round> {
  const countdown = new Countdown();
  const [receiver] = await contender.spawn(1, countdown.step);
  return () => {
    const done = countdown.begin(operations);
    for (let n = 0; n < operations; n++) receiver!.tell(message);
    return done;
  };
}

/** The workloads measured in CPU time, by name. */
export const WORKLOADS = {
  tell: { operations: 1_000_000, prepare: prepareTell },

  /** The ring never frees memory, so from the second burst on it allocates nothing. */
  tellAgain: { operations: 1_000_000, prepare: prepareTell, sameActors: true },

  async: {
    operations: 200_000,
    prepare: async (contender, operations) => {
      const countdown = new Countdown();
      // eslint-disable-next-line @typescript-eslint/require-await -- the smallest possible asynchronous handler
      const receiver = await contender.spawnAsync?.(async () => countdown.step());
      if (!receiver) return undefined;
      return () => {
        const done = countdown.begin(operations);
        for (let n = 0; n < operations; n++) receiver.tell(message);
        return done;
      };
    },
  },

  pingPong: {
    operations: 300_000,
    prepare: async (contender, operations) => {
      let left = 0;
      let resolve: () => void;
      const [ping] = await contender.spawn(1, () => {
        if (--left === 0) resolve();
        else pong!.tell(message);
      });
      const [pong] = await contender.spawn(1, () => ping!.tell(message));
      return () =>
        new Promise<void>((done) => {
          resolve = done;
          left = operations;
          pong!.tell(message);
        });
    },
  },

  fanOut: {
    operations: 200_000,
    prepare: async (contender, operations) => {
      const countdown = new Countdown();
      const receivers = await contender.spawn(FAN_OUT_ACTORS, countdown.step);
      return () => {
        const done = countdown.begin(operations);
        for (let n = 0; n < operations / FAN_OUT_ACTORS; n++) for (const receiver of receivers) receiver.tell(message);
        return done;
      };
    },
  },

  askSequential: {
    operations: 100_000,
    prepare: async (contender, operations) => {
      const asker = await contender.spawnAsker?.((value) => value + 1);
      if (!asker) return undefined;
      return async () => {
        for (let n = 0; n < operations;) n = await asker.ask(n);
      };
    },
  },

  askConcurrent: {
    operations: 100_000,
    prepare: async (contender, operations) => {
      const asker = await contender.spawnAsker?.((value) => value + 1);
      if (!asker) return undefined;
      return async () => {
        const answers = new Array<Promise<number>>(operations);
        for (let n = 0; n < operations; n++) answers[n] = asker.ask(n);
        await Promise.all(answers);
      };
    },
  },
} satisfies Record<string, Workload>;

export type WorkloadName = keyof typeof WORKLOADS;

/** Whether the handler of a message can start before the previous one has settled. */
export async function overlaps(contender: Contender): Promise<boolean> {
  const countdown = new Countdown();
  let active = 0;
  let overlapped = false;
  const receiver = await contender.spawnAsync!(async () => {
    overlapped ||= active++ > 0;
    await new Promise((resolve) => setImmediate(resolve));
    active--;
    countdown.step();
  });
  const done = countdown.begin(10);
  for (let n = 0; n < 10; n++) receiver.tell(message);
  await done;
  return overlapped;
}
