import { type Deferred, deferred } from '@roost/kernel';
import fc from 'fast-check';
import { internalsOf } from './internals.js';
import { settle, testSystem } from './actor-system.fixture.js';
import { Behavior } from './behavior.js';
import { Props } from './props.js';
import { Terminated } from './signals.js';
import { exponentialBackoff } from './supervision/exponential-backoff.strategy.js';
import { oneForOne } from './supervision/one-for-one.strategy.js';
import { Kill, PoisonPill, Resume, Suspend, Unwatch, Watch } from './system-messages.js';

const DELAY_MS = 10;
const COMMANDS = [
  ...['tell', 'tell fail', 'tell async', 'tell stop', 'settle', 'settle with failure', 'suspend', 'resume'],
  ...['pill', 'kill', 'watch', 'unwatch', 'turn', 'advance'],
] as const;
type Command = (typeof COMMANDS)[number];
type Kind = 'plain' | 'fail' | 'async' | 'stop' | 'pill';

/** The expected behavior of one actor, written without turns, promises or timers. */
class Model {
  readonly handled: number[] = [];
  readonly dead: number[] = [];
  readonly signals = ['PreStart'];
  restarts = 0;
  told = 0;
  stopped = false;
  private queue: { id: number; kind: Kind }[] = [];
  private suspended = false;
  private restarting = false;
  private killed = false;
  /** State of the current asynchronous handler, if there is one. */
  private busy: 'waiting' | 'done' | 'failed' | undefined;
  private watched = false;
  private word = false;

  constructor(private readonly delayed: boolean) {}

  get state(): string | undefined {
    if (this.stopped) return undefined;
    return this.suspended || this.restarting ? 'suspended' : 'running';
  }

  get isBusy(): boolean {
    return this.busy === 'waiting';
  }

  tell(id: number, kind: Kind): void {
    if (!this.stopped) this.queue.push({ id, kind });
    else if (kind !== 'pill') this.dead.push(id);
  }

  do(command: Command): void {
    if (command === 'settle' && this.isBusy) this.busy = 'done';
    if (command === 'settle with failure' && this.isBusy) this.busy = 'failed';
    if (command === 'watch' && this.stopped) this.word = true;
    if (command === 'watch' && !this.stopped) this.watched = true;
    if (command === 'unwatch') this.watched = this.word = false;
    if (command === 'turn') this.turn();
    if (command === 'advance') this.advance();
    if (this.stopped) return;
    if (command === 'suspend') this.suspended = true;
    if (command === 'resume') this.suspended = false;
    if (command === 'kill') this.killed = true;
  }

  private turn(): void {
    if (this.busy === 'failed') this.fail();
    if (this.busy !== 'waiting') this.busy = undefined;
    if (this.killed && this.busy === undefined) this.stop();
    while (this.state === 'running' && this.busy === undefined && this.queue.length > 0)
      this.handle(this.queue.shift()!);
    if (this.word) this.told++;
    this.word = false;
  }

  private advance(): void {
    this.turn();
    if (!this.restarting) return;
    this.restarting = false;
    this.signals.push('PostRestart');
    this.advance();
  }

  private handle({ id, kind }: { id: number; kind: Kind }): void {
    if (kind !== 'pill') this.handled.push(id);
    if (kind === 'fail') this.fail();
    if (kind === 'async') this.busy = 'waiting';
    if (kind === 'stop' || kind === 'pill') this.stop();
  }

  private fail(): void {
    this.restarts++;
    this.signals.push('PreRestart');
    // An actor that is about to be killed does not restart.
    if (this.delayed || this.killed) this.restarting = true;
    else this.signals.push('PostRestart');
  }

  private stop(): void {
    if (this.stopped) return;
    this.stopped = true;
    this.restarting = false;
    this.signals.push('PostStop');
    this.dead.push(...this.queue.filter(({ kind }) => kind !== 'pill').map(({ id }) => id));
    if (this.watched) this.word = true;
    this.watched = false;
  }
}

interface Message {
  readonly id: number;
  readonly kind: Kind;
}

/** Applies the same commands to a real actor. */
async function startSubject(delayed: boolean) {
  const { system, clock, deadLetters } = testSystem({ logDeadLetters: 0 });
  const handled: number[] = [];
  const signals: string[] = [];
  let told = 0;
  let open: Deferred<void> | undefined;
  const behavior = Behavior.receive<Message>((_ctx, { id, kind }) => {
    handled.push(id);
    if (kind === 'fail') throw new Error('boom');
    if (kind === 'stop') return Behavior.stopped();
    if (kind === 'async') return (open = deferred()).promise;
  }).onSignal((_ctx, signal) => void signals.push(signal.constructor.name));
  const maxRetries = Infinity;
  const supervision = delayed
    ? exponentialBackoff({ minMs: DELAY_MS, maxMs: DELAY_MS, jitter: 0 })
    : oneForOne({ maxRetries });
  const ref = system.spawn(Props.of(behavior, { supervision }), 'subject');
  const watcher = system.spawn(
    Behavior.receive<never>(() => undefined).onSignal((_ctx, signal) => void (signal instanceof Terminated && told++)),
  );
  await settle();
  /** Runs until nothing more happens without the clock, however many slices that takes. */
  const quiet = async (): Promise<void> => {
    do await settle(2);
    while (!internalsOf(system).dispatcher.isIdle);
  };
  const act: Record<string, () => unknown> = {
    settle: () => open?.resolve(),
    'settle with failure': () => open?.reject(new Error('boom')),
    suspend: () => ref.tell(Suspend),
    resume: () => ref.tell(Resume),
    kill: () => ref.tell(Kill),
    watch: () => ref.tell(new Watch(watcher)),
    unwatch: () => ref.tell(new Unwatch(watcher)),
    turn: quiet,
    advance: async () => {
      // Each resulting restart may fail again, as often as there are messages.
      do await quiet();
      while (await clock.runNextAsync());
    },
  };
  return {
    tell: (message: Message) => ref.tell(message.kind === 'pill' ? PoisonPill : message),
    do: (command: Command) => act[command]!(),
    seen: () => {
      const description = system.describe().children.find(({ name }) => name === 'subject');
      const dead = deadLetters.map(({ message }) => (message as Message).id);
      return { state: description?.state, handled, dead, signals, told, restarts: system.restarts };
    },
    shutdown: () => system.shutdown(),
  };
}

const KINDS: Partial<Record<Command, Kind>> = {
  tell: 'plain',
  'tell fail': 'fail',
  'tell async': 'async',
  'tell stop': 'stop',
  pill: 'pill',
};

describe('an actor compared with its model', () => {
  it.each([false, true])(
    'matches the model after any commands (restarts with a delay: %p)',
    async (delayed) => {
      // Stops are rare, because otherwise most runs would end early.
      const command = fc.oneof(
        {
          weight: 12,
          arbitrary: fc.constantFrom(...COMMANDS.filter((one) => !['pill', 'kill', 'tell stop'].includes(one))),
        },
        { weight: 1, arbitrary: fc.constantFrom<Command>('pill', 'kill', 'tell stop') },
      );
      await fc.assert(
        fc.asyncProperty(fc.array(command, { minLength: 1, maxLength: 60 }), async (commands) => {
          const model = new Model(delayed);
          const subject = await startSubject(delayed);
          let id = 0;
          for (const one of [...commands, 'turn' as const]) {
            const kind = KINDS[one];
            if (kind) {
              const message = { id: ++id, kind };
              model.tell(message.id, kind);
              subject.tell(message);
              continue;
            }
            model.do(one);
            const done = subject.do(one);
            // The actor does nothing before one of these commands.
            if (one !== 'turn' && one !== 'advance') continue;
            await done;
            const { state, handled, dead, signals, told, restarts } = model;
            expect(subject.seen()).toEqual({ state, handled, dead, signals, told, restarts });
          }
          subject.do('settle');
          void subject.shutdown();
        }),
        { numRuns: 300 },
      );
    },
    60_000,
  );
});
