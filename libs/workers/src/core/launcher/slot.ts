import type { RoostLogger } from '@roost/kernel';
import { type Clock, formatDuration, type Timer } from '@roost/time';
import { Restarts } from '../restart-policy.js';
import { type Child, type ChildEnd, type ChildListeners, describeEnd, isClean } from './child.js';
import { Member } from './member.js';
import type { ChildSpec } from './options.js';

export type SlotState = 'starting' | 'running' | 'restarting' | 'stopping' | 'ended' | 'failed';

/** What the slots of a fleet share. */
export interface SlotHost {
  readonly clock: Clock;
  readonly logger: RoostLogger;
  readonly bootTimeoutMs: number;
  start(spec: ChildSpec, instance: number, listeners: ChildListeners): Child;
  /** A child has started. */
  joined(member: Member): void;
  /** A child is up. */
  up(slot: Slot, member: Member): void;
  /** A child has ended, and the slot has decided what comes next. */
  left(slot: Slot, member: Member, end: ChildEnd): void;
  /** It has failed too often in a row. */
  failed(slot: Slot, why: string): void;
}

/** A place in the fleet, `web#2`, that is kept filled: who ends without being asked to is replaced. */
export class Slot {
  readonly name: string;
  readonly restarts: Restarts;
  /** How the last child that nobody had asked to end came to do so. */
  lastFailure: string | undefined;
  #member: Member | undefined;
  /** In a rolling restart: who is to take over. */
  #successor: Member | undefined;
  /** All that are there: who is told to stop in a rolling restart is neither of the two above. */
  readonly #members = new Set<Member>();
  #backoff: Timer | undefined;
  /** Set when nobody is to follow. */
  #outcome: 'ended' | 'failed' | undefined;
  #isStopping = false;

  constructor(
    readonly spec: ChildSpec,
    private readonly instance: number,
    private readonly host: SlotHost,
  ) {
    this.name = `${spec.name}#${instance}`;
    this.restarts = new Restarts(spec.restart, host.clock);
  }

  get state(): SlotState {
    if (this.#backoff) return 'restarting';
    if (this.#isStopping && this.#members.size > 0) return 'stopping';
    return this.#outcome ?? this.#member?.state ?? 'starting';
  }

  /** Two of them while one is replaced. */
  get members(): readonly Member[] {
    return [...this.#members];
  }

  start(): void {
    this.#backoff?.cancel();
    this.#backoff = undefined;
    this.restarts.started();
    this.#member = this.#launch();
  }

  /** For good. */
  stop(): void {
    this.#isStopping = true;
    this.#backoff?.cancel();
    this.#backoff = undefined;
    this.#outcome ??= 'ended';
    for (const member of this.#members) member.stop('stop');
  }

  /**
   * Starts a successor, and when that is up tells the one before to stop.
   *
   * @returns why it could not be done, in which case the one before goes on
   */
  async replace(): Promise<string | undefined> {
    if (this.#outcome) return undefined;
    // Who is just being started, or waits for it, is as new as a successor would be.
    if (this.#backoff) this.start();
    const old = this.#member!;
    const next = old.state === 'starting' ? old : (this.#successor = this.#launch());
    const isUp = (await next.whenUpInTime) && next.state !== 'ended';
    if (this.#isStopping) return undefined;
    // It may have had to take over from one that has ended early: then it is kept as any other.
    if (!isUp) return this.#member === next ? `${next.title} does not come up` : this.#giveUp(next);
    if (this.#successor === next) this.#promote(next);
    if (old === next || old.state === 'ended') return undefined;
    old.stop('replaced');
    const problem = old.problemWith(await old.whenEnded);
    if (problem && !this.#isStopping) this.host.logger.warn(problem);
    return undefined;
  }

  async #giveUp(successor: Member): Promise<string> {
    const { state, title } = successor;
    this.#successor = undefined;
    successor.kill();
    const end = await successor.whenEnded;
    if (state === 'ended') return `${title} ended with ${describeEnd(end)} before it had taken over${lastWords(end)}`;
    return `${title} was not up within ${formatDuration(this.host.bootTimeoutMs)}${lastWords(end)}`;
  }

  #launch(): Member {
    const { host, spec } = this;
    const { clock, bootTimeoutMs } = host;
    const member = new Member(this.name, { clock, bootTimeoutMs, maxWaitMs: spec.maxWaitMs }, (listeners) =>
      host.start(spec, this.instance, listeners),
    );
    this.#members.add(member);
    host.joined(member);
    void member.whenUp.then((isUp) => {
      if (isUp) host.up(this, member);
    });
    void member.whenUpInTime.then(() => {
      if (member.state !== 'starting') return;
      host.logger.warn(`${member.title} is not up after ${formatDuration(bootTimeoutMs)}. ${HOW_TO_BE_UP[spec.kind]}`);
    });
    void member.whenEnded.then((end) => {
      this.#members.delete(member);
      this.#onEnd(member, end);
      host.left(this, member, end);
    });
    return member;
  }

  #promote(successor: Member): void {
    this.restarts.started();
    this.#member = successor;
    this.#successor = undefined;
  }

  #onEnd(member: Member, end: ChildEnd): void {
    if (this.#isStopping || member !== this.#member) return;
    const { logger, clock } = this.host;
    const how = `${member.title} ended with ${describeEnd(end)} after ${formatDuration(member.ageMs)}`;
    const clean = isClean(end);
    if (!clean) this.lastFailure = `${describeEnd(end)}${lastWords(end)}`;
    if (this.#successor) {
      logger.warn(`${how}: its successor takes over`);
      return this.#promote(this.#successor);
    }
    const delayMs = this.restarts.ended(clean ? 'returned' : 'failed');
    if (delayMs !== undefined) {
      const { inARow } = this.restarts;
      logger.warn(`${how}: starting it again in ${formatDuration(delayMs)} (restart ${inARow} in a row)`);
      this.#backoff = clock.setTimer(delayMs, () => this.start());
      return;
    }
    this.#outcome = clean && this.spec.restart.when === 'failure' ? 'ended' : 'failed';
    if (this.#outcome === 'ended') return logger.log(`${how}: its work is done`);
    const times = this.restarts.inARow === 1 ? 'once' : `${this.restarts.inARow} times in a row`;
    this.host.failed(this, `${this.name} has failed ${times}, last with ${describeEnd(end)}${lastWords(end)}`);
  }
}

const HOW_TO_BE_UP = {
  http: 'An HTTP worker is up when it listens.',
  process: 'A process is up when its WorkersModule has booted, or it calls reportReady().',
  thread: 'A thread is up when its WorkersModule has booted, or it calls reportReady().',
} as const;

const lastWords = ({ lastWords: words }: ChildEnd): string => (words ? `:\n${words}` : '');
