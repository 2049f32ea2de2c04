import { type Contender, Message } from './contender.js';
import { cpuMs } from './cpu.js';

const BACKLOG = 1_000_000;
const PING_PONG_MS = 1_000;
const message = new Message();

/**
 * Measures with a chain of timers how long the event loop was blocked. Other programs stretch the wall-clock time, and
 * Node's helper threads add to the CPU time, so the shorter of the two counts for each gap.
 */
class GapWatch {
  longest = 0;
  #wall = 0;
  #cpu = 0;
  #timer: NodeJS.Timeout | undefined;

  begin(): void {
    this.#turn();
    this.#watch();
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#measure();
  }

  #watch(): void {
    this.#timer = setTimeout(() => {
      this.#measure();
      this.#turn();
      this.#watch();
    }, 0);
  }

  #turn(): void {
    this.#wall = performance.now();
    this.#cpu = cpuMs();
  }

  #measure(): void {
    this.longest = Math.max(this.longest, Math.min(performance.now() - this.#wall, cpuMs() - this.#cpu));
  }
}

/**
 * The longest gap in ms while an actor handles a million messages that it sent to itself, or undefined if nothing
 * waits.
 */
export async function gapUnderBacklog(contender: Contender): Promise<number | undefined> {
  const backlog = BACKLOG * (contender.share ?? 1);
  const warmUp = await drainBacklog(contender, backlog);
  return warmUp === undefined ? undefined : drainBacklog(contender, backlog);
}

async function drainBacklog(contender: Contender, backlog: number): Promise<number | undefined> {
  const watch = new GapWatch();
  let handled = 0;
  let sent = false;
  let resolve: () => void;
  const done = new Promise<void>((settle) => (resolve = settle));
  const [receiver] = await contender.spawn(1, () => {
    if (handled++ === 0) {
      for (let n = 0; n < backlog; n++) receiver!.tell(message);
      if (handled > 1) return;
      sent = true;
      watch.begin();
    } else if (handled === backlog + 1) {
      if (sent) watch.end();
      resolve();
    }
  });
  receiver!.tell(message);
  await done;
  return sent ? watch.longest : undefined;
}

/** The longest gap in ms while two actors exchange a message endlessly. */
export async function gapUnderPingPong(contender: Contender): Promise<number> {
  let over = false;
  let rounds = 0;
  const [ping] = await contender.spawn(1, () => over || pong!.tell(message));
  const [pong] = await contender.spawn(1, () => {
    rounds++;
    if (!over) ping!.tell(message);
  });
  const watch = new GapWatch();
  watch.begin();
  pong!.tell(message);
  await passes(PING_PONG_MS / 2);
  const half = rounds;
  await passes(PING_PONG_MS / 2);
  over = true;
  watch.end();
  if (rounds === half) throw new Error('the ping-pong stopped on its own');
  return watch.longest;
}

const passes = (ms: number): Promise<unknown> => new Promise((resolve) => setTimeout(resolve, ms));
