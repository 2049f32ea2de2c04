import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import {
  type ActorContext,
  type ActorOptions,
  type ActorRef,
  ActorStopped,
  ActorSystem,
  Behavior,
  type BehaviorResult,
  bounded,
  type DeadLetter,
  Directive,
  Kill,
  Overflow,
  PoisonPill,
  Props,
  Resume,
  type Signal,
  type SupervisionStrategy,
  Suspend,
  type SystemMessage,
  Terminated,
  allForOne,
  exponentialBackoff,
  oneForOne,
} from '@roost/actors/core';
import type { Timer } from '@roost/time';
import { ManualClock } from '@roost/time/testing';
import { Random } from './random.js';
import { type Letter, TreeLedger } from './tree-ledger.js';

type Context = ActorContext<Letter>;
type Ref = ActorRef<Letter>;

/** Actions of a handler, by weight. */
const PLANS: readonly (readonly [plan: string, weight: number])[] = [
  ['nothing', 10],
  ['tick', 6],
  ['wait', 6],
  ['send', 10],
  ['send and wait', 4],
  ['throw', 3],
  ['reject', 3],
  ['stop', 0.5],
  ['wait and stop', 0.5],
  ['pill', 0.5],
  ['spawn', 3],
  ['stop a child', 1],
  ['stash', 3],
  ['unstash', 3],
  ['unhandled', 2],
  ['garbage', 1],
  ['suspend', 1],
  ['watch', 3],
  ['unwatch', 1],
  ['pipe', 2],
  ['become', 2],
  ['reply', 3],
  ['never', 0.15],
];
const TOTAL_WEIGHT = PLANS.reduce((sum, [, weight]) => sum + weight, 0);
const DEAD_LETTERS = 'roost:actors:dead-letter';
const MOST_ACTORS = 80;
const MOST_LETTERS = 800;
const quiet = { log: () => undefined, warn: () => undefined, error: () => undefined };

export interface TreeCounts {
  actors: number;
  restarts: number;
  sent: number;
  handled: number;
  deadLetters: number;
  forced: number;
}

/** Runs one system from its first actor to its shutdown. A seed determines everything that happens. */
export class TreeLife {
  readonly #random: Random;
  readonly #clock = new ManualClock();
  readonly #system: ActorSystem;
  readonly #ledger = new TreeLedger();
  readonly #refs: Ref[] = [];
  readonly #sleeps = new Set<Timer>();
  readonly #watched = new Map<string, number>();
  #asks = 0;
  #answers = 0;
  /** Whether handlers have stopped failing and sending, so that the run can finish. */
  #calm = false;
  /** Whether every handler settles and the timeout is long enough that no actor is force-stopped. */
  readonly #patient: boolean;

  constructor(seed: number) {
    this.#random = new Random(seed);
    const random = this.#random;
    this.#patient = random.chance(0.5);
    this.#system = new ActorSystem({
      ...{ clock: this.#clock, logger: quiet, random: random.next, deadLetterBuffer: 0 },
      supervision: this.#strategy(),
    });
    this.#system.events$.subscribe((event) => {
      if (event instanceof ActorStopped) this.#ledger.stopped(event.ref);
    });
  }

  async run(): Promise<{ counts: TreeCounts; problems: string[] }> {
    // The event stream would complete with the system, but dead letters occur after that.
    const take = (letter: unknown): void => this.#ledger.died((letter as DeadLetter).message);
    subscribe(DEAD_LETTERS, take);
    try {
      return await this.#live();
    } finally {
      unsubscribe(DEAD_LETTERS, take);
    }
  }

  async #live(): Promise<{ counts: TreeCounts; problems: string[] }> {
    const random = this.#random;
    for (let n = random.between(1, 3); n > 0; n--) this.#spawnTop();
    for (let n = random.between(5, 40); n > 0; n--) await this.#act();
    const timeoutMs = this.#patient ? 20_000 : random.between(1, 200);
    // Set before the system's own deadline for the same time, so it fires first.
    const deadline = this.#clock.setTimer(timeoutMs, () => (this.#ledger.forced = true));
    const ended = this.#system.shutdown(timeoutMs);
    let report: Awaited<typeof ended> | undefined;
    void ended.then((value) => (report = value));
    // Continue during the shutdown.
    for (let n = random.between(0, 10); n > 0; n--) await this.#act();
    this.#calm = true;
    for (let turn = 0; !report && turn < 3_000; turn++) await this.#clock.advanceAsync(10);
    deadline.cancel();
    const { problems } = this.#ledger;
    if (!report) problems.push('shutdown did not finish');
    if (this.#patient && report?.status === 'forced') problems.push(`force-stopped ${report.forced.join()}`);
    for (const ref of this.#refs.slice(0, 3)) this.#tell('outside', ref);
    for (const sleep of this.#sleeps) sleep.cancel();
    await this.#clock.advanceAsync(0);
    this.#ledger.close();
    if (this.#asks !== this.#answers) problems.push(`${this.#asks - this.#answers} asks were not answered`);
    if (this.#clock.pendingTimers > 0) problems.push(`${this.#clock.pendingTimers} timers remain`);
    if (this.#system.describe().children.length > 0) problems.push('actors remain');
    const forced = report?.forced.length ?? 0;
    return { counts: { ...this.#ledger.counts, restarts: this.#system.restarts, forced }, problems };
  }

  /** Performs a random action from outside. */
  async #act(): Promise<void> {
    const random = this.#random;
    switch (random.between(0, 9)) {
      case 0:
        return this.#clock.advanceAsync(random.between(0, 30));
      case 1:
        for (let n = random.between(1, 5); n > 0; n--) await Promise.resolve();
        return;
      case 2:
        return void this.#anyRef().tell(
          random.pick<SystemMessage>([PoisonPill, Kill, Suspend, Resume, Resume, Resume]),
        );
      case 3:
        return void (this.#system.state === 'running' && random.chance(0.3) && this.#spawnTop());
      case 4:
        return this.#ask(this.#anyRef());
      default:
        for (let n = random.between(1, 8); n > 0; n--) this.#tell('outside', this.#anyRef());
    }
  }

  /** Picks an actor, usually one that has not stopped. */
  #anyRef(): Ref {
    const ref = this.#random.pick(this.#refs);
    return this.#ledger.hasEnded(ref) && this.#random.chance(0.8) ? this.#random.pick(this.#refs) : ref;
  }

  #tell(from: string, to: Ref, sender?: Ref): void {
    if (this.#ledger.counts.sent >= MOST_LETTERS) return;
    const letter = this.#ledger.letter(from, to, this.#plan());
    to.tell(letter, sender);
  }

  #ask(to: Ref): void {
    this.#asks++;
    const done = (): void => void this.#answers++;
    to.ask(() => this.#ledger.letter('outside', to, this.#plan()), { timeoutMs: 50 }).then(done, done);
  }

  #plan(): string {
    let at = this.#random.next() * TOTAL_WEIGHT;
    for (const [plan, weight] of PLANS) if ((at -= weight) < 0) return plan;
    return 'nothing';
  }

  #spawnTop(): void {
    this.#add((props) => this.#system.spawn(props), undefined, 0);
  }

  #add(spawn: (props: Props<Letter>) => Ref, parent: Ref | undefined, depth: number): void {
    if (this.#refs.length >= MOST_ACTORS) return;
    const ref = spawn(Props.of(this.#behavior(depth), this.#options()));
    this.#refs.push(ref);
    this.#ledger.spawned(ref, parent);
  }

  #options(): ActorOptions {
    const random = this.#random;
    const overflow = random.pick([Overflow.DropNewest, Overflow.DropOldest, Overflow.Backpressure]);
    return {
      ...(random.chance(0.3) && { supervision: this.#strategy() }),
      ...(random.chance(0.4) && { childSupervision: this.#strategy() }),
      ...(random.chance(0.2) && { mailbox: bounded(random.between(1, 5), overflow) }),
      ...(random.chance(0.05) && { throttle: { messages: 2, perMs: 3 } }),
    };
  }

  #strategy(): SupervisionStrategy {
    const random = this.#random;
    const directives = Object.values(Directive);
    const options = {
      maxRetries: random.between(0, 10),
      windowMs: random.between(1, 100),
      ...(random.chance(0.3) && { decide: () => random.pick(directives) }),
    };
    const backoff = { minMs: random.between(1, 5), maxMs: random.between(5, 20) };
    return random.pick([
      () => oneForOne(options),
      () => allForOne(options),
      () => exponentialBackoff({ ...options, ...backoff }),
      () => allForOne({ ...options, backoff }),
    ])();
  }

  #behavior(depth: number): Behavior<Letter> {
    const random = this.#random;
    return Behavior.setup<Letter>((ctx) => {
      const { self } = ctx;
      this.#ledger.setUp(self);
      const children = depth < 4 && !this.#calm ? random.between(0, 3 - Math.floor(depth / 2)) : 0;
      for (let n = 0; n < children; n++) this.#spawnChild(ctx, depth);
      if (random.chance(0.2)) ctx.timers.fixedRate('tick', this.#noLetter(), random.between(1, 10));
      const ready = this.#receive(depth);
      const fails = !this.#calm && random.chance(0.03);
      const finish = (): Behavior<Letter> => {
        this.#ledger.left(self);
        if (fails) throw new Error('setup');
        return ready;
      };
      if (!random.chance(0.3)) return finish();
      return this.#pause().then(finish);
    });
  }

  /** A timer message that is not a letter, so that it is not counted. */
  #noLetter(): Letter {
    return undefined as never;
  }

  #receive(depth: number): Behavior<Letter> {
    return Behavior.receive<Letter>((ctx, letter) => this.#handle(ctx, letter, depth)).onSignal((ctx, signal) =>
      this.#onSignal(ctx, signal),
    );
  }

  #spawnChild(ctx: Context, depth: number): void {
    this.#add((props) => ctx.spawn(props), ctx.self, depth + 1);
  }

  #handle(ctx: Context, letter: Letter | undefined, depth: number): BehaviorResult<Letter> {
    if (letter === undefined) return;
    const { self } = ctx;
    const before = this.#ledger.wasSeen(letter);
    this.#ledger.arrived(self, letter);
    const leave = (): void => this.#ledger.left(self);
    let result: BehaviorResult<Letter>;
    try {
      result = this.#carryOut(ctx, letter, depth, before);
    } catch (error) {
      leave();
      throw error;
    }
    if (!(result instanceof Promise)) {
      leave();
      return result;
    }
    return result.finally(leave);
  }

  #carryOut(ctx: Context, letter: Letter, depth: number, before: boolean): BehaviorResult<Letter> {
    const random = this.#random;
    const { self } = ctx;
    const label = this.#ledger.labelOf(self);
    const send = (): void => {
      if (!this.#calm) for (let n = random.between(1, 3); n > 0; n--) this.#tell(label, this.#anyRef(), self);
    };
    const done = (): void => this.#ledger.handled(letter);
    if (letter.plan === 'stash' && !before) return void ctx.stash();
    if (letter.plan === 'unhandled') return Behavior.unhandled();
    done();
    switch (letter.plan) {
      case 'tick':
        return Promise.resolve();
      case 'wait':
        return this.#pause();
      case 'send':
        return send();
      case 'send and wait':
        return this.#pause().then(send);
      case 'throw':
        throw new Error('throw');
      case 'reject':
        return this.#pause().then(() => Promise.reject(new Error('reject')));
      case 'stop':
        send();
        return Behavior.stopped();
      case 'wait and stop':
        return this.#pause().then(() => Behavior.stopped<Letter>());
      case 'pill':
        return void self.tell(PoisonPill);
      case 'spawn':
        return this.#spawnChild(ctx, depth);
      case 'stop a child':
        return void ctx.children.slice(0, 1).forEach((child) => ctx.stop(child));
      case 'unstash':
        return ctx.unstashAll();
      case 'garbage':
        return 'garbage' as never;
      case 'suspend':
        return void self.tell(Suspend);
      case 'watch':
        return this.#watch(ctx);
      case 'unwatch':
        return this.#refs.forEach((ref) => ctx.unwatch(ref));
      case 'pipe':
        return this.#pipe(ctx, label);
      case 'become':
        return this.#receive(depth);
      case 'reply':
        return ctx.sender && !this.#calm ? this.#reply(ctx, label) : undefined;
      case 'never':
        return this.#patient ? undefined : new Promise<void>(() => undefined);
    }
  }

  #watch(ctx: Context): void {
    const target = this.#anyRef();
    if (target === ctx.self) return;
    const key = `${this.#ledger.labelOf(ctx.self)} ${this.#ledger.labelOf(target)}`;
    this.#watched.set(key, (this.#watched.get(key) ?? 0) + 1);
    ctx.watch(target);
  }

  #pipe(ctx: Context, label: string): void {
    const { self } = ctx;
    // Piped messages have no order among each other, so each gets its own sender name.
    const letter = (): Letter => this.#ledger.letter(`${label} pipe ${this.#ledger.counts.sent}`, self, 'nothing');
    ctx.pipeToSelf(this.#pause(), letter);
  }

  #reply(ctx: Context, label: string): void {
    const { sender } = ctx;
    // An ask is not an actor, so its reply is not a letter.
    if (sender && this.#refs.includes(sender)) this.#tell(label, sender, ctx.self);
    else ctx.reply('answer');
  }

  #onSignal(ctx: Context, signal: Signal): BehaviorResult<Letter> {
    const random = this.#random;
    const { self } = ctx;
    const { name } = signal.constructor;
    this.#ledger.signalled(self, name);
    const leave = (): void => this.#ledger.left(self, name);
    if (signal instanceof Terminated) this.#onTerminated(self, signal);
    const fails = !this.#calm && random.chance(0.02);
    const stops = !this.#calm && random.chance(0.005);
    const finish = (): BehaviorResult<Letter> => {
      leave();
      if (fails) throw new Error(name);
      return stops ? Behavior.stopped() : undefined;
    };
    if (!random.chance(0.2)) return finish();
    return this.#pause().then(finish);
  }

  #onTerminated(self: Ref, { ref }: Terminated): void {
    const key = `${this.#ledger.labelOf(self)} ${this.#ledger.labelOf(ref)}`;
    const left = (this.#watched.get(key) ?? 0) - 1;
    this.#watched.set(key, left);
    if (left < 0) this.#ledger.problems.push(`${key}: got more Terminated signals than watches`);
    this.#ledger.terminated(self, ref);
  }

  /** Waits for a few microtasks or some time. */
  async #pause(): Promise<void> {
    const random = this.#random;
    if (random.chance(0.5)) {
      for (let n = random.between(0, 3); n > 0; n--) await Promise.resolve();
      return;
    }
    await new Promise<void>((resolve) => {
      const timer = this.#clock.setTimer(random.between(0, 15), () => {
        this.#sleeps.delete(timer);
        resolve();
      });
      this.#sleeps.add(timer);
    });
  }
}
