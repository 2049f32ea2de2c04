import type { RoostLogger } from '@roost/kernel';
import { type Clock, formatDuration, type Timer } from '@roost/time';
import { Restarts } from '../restart-policy.js';
import { type ChildEnd, type ChildHandle, type ChildListeners, describeEnd, isClean } from './child-handle.js';
import type { ChildSpec } from './child-options.js';
import { SupervisedChild } from './supervised-child.js';

/**
 * State of a child:
 *
 * - `starting`: not up yet
 * - `running`: up
 * - `restarting`: waiting for its next start
 * - `stopping`, `stopped`
 * - `failed`: not started again
 *
 * @publicApi
 */
export type ChildState = 'starting' | 'running' | 'restarting' | 'stopping' | 'stopped' | 'failed';

export type StartChild = (spec: ChildSpec, instance: number, listeners: ChildListeners) => ChildHandle;

/** The parts of a fleet that its slots share. */
export interface SlotContext {
  readonly clock: Clock;
  readonly logger: RoostLogger;
  readonly bootTimeoutMs: number;
  readonly startChild: StartChild;
  onStarted(child: SupervisedChild): void;
  onUp(slot: ChildSlot, child: SupervisedChild): void;
  /** Called when a child has ended and the slot has decided whether to start another one. */
  onEnded(slot: ChildSlot, child: SupervisedChild, end: ChildEnd): void;
  /** Called when the slot has failed too often in a row. */
  onFailed(why: string): void;
}

/** A place in the fleet, such as `web#2`. A child that exits unexpectedly is replaced. */
export class ChildSlot {
  readonly name: string;
  readonly restarts: Restarts;
  /** How the last child that exited unexpectedly ended. */
  lastFailure: string | undefined;
  #current: SupervisedChild | undefined;
  /** During a rolling restart, the child that takes over from the current one. */
  #successor: SupervisedChild | undefined;
  /** All living children. A predecessor that is stopping in a rolling restart is neither current nor successor. */
  readonly #children = new Set<SupervisedChild>();
  #backoff: Timer | undefined;
  /** Set when no further child will be started. */
  #outcome: 'stopped' | 'failed' | undefined;
  #isStopping = false;

  constructor(
    readonly spec: ChildSpec,
    private readonly instance: number,
    private readonly context: SlotContext,
  ) {
    this.name = `${spec.name}#${instance}`;
    this.restarts = new Restarts(spec.restart, context.clock);
  }

  get state(): ChildState {
    if (this.#backoff) return 'restarting';
    if (this.#isStopping && this.#children.size > 0) return 'stopping';
    return this.#outcome ?? this.#current?.state ?? 'starting';
  }

  /** The living children. There are two while one is being replaced. */
  get children(): readonly SupervisedChild[] {
    return [...this.#children];
  }

  start(): void {
    this.#backoff?.cancel();
    this.#backoff = undefined;
    this.restarts.started();
    this.#current = this.#launch();
  }

  /** Stops every child. No child is started afterwards. */
  stop(): void {
    this.#isStopping = true;
    this.#backoff?.cancel();
    this.#backoff = undefined;
    this.#outcome ??= 'stopped';
    for (const child of this.#children) child.stop('stop');
  }

  /**
   * Starts a successor, and stops the current child when the successor is up.
   *
   * @returns the reason if the replacement failed; the current child then keeps running
   */
  async replace(): Promise<string | undefined> {
    if (this.#outcome) return undefined;
    // A child that is starting, or waiting for its restart, is as new as a successor would be.
    if (this.#backoff) this.start();
    const old = this.#current!;
    const next = old.state === 'starting' ? old : (this.#successor = this.#launch());
    const isUp = (await next.whenUpInTime) && next.state !== 'stopped';
    if (this.#isStopping) return undefined;
    // The successor may already have taken over from a child that exited. It is then kept like any other child.
    if (!isUp) return this.#current === next ? `${next.title} did not come up` : this.#giveUp(next);
    if (this.#successor === next) this.#promote(next);
    if (old === next || old.state === 'stopped') return undefined;
    old.stop('replaced');
    const problem = old.problemWith(await old.whenEnded);
    if (problem && !this.#isStopping) this.context.logger.warn(problem);
    return undefined;
  }

  async #giveUp(successor: SupervisedChild): Promise<string> {
    const { state, title } = successor;
    this.#successor = undefined;
    successor.kill();
    const end = await successor.whenEnded;
    if (state === 'stopped') return `${title} ended with ${describeEnd(end)} before it took over${lastOutput(end)}`;
    return `${title} was not up within ${formatDuration(this.context.bootTimeoutMs)}${lastOutput(end)}`;
  }

  #launch(): SupervisedChild {
    const { context, spec } = this;
    const { clock, logger, bootTimeoutMs } = context;
    const child = new SupervisedChild(this.name, { clock, bootTimeoutMs, maxWaitMs: spec.maxWaitMs }, (listeners) =>
      context.startChild(spec, this.instance, listeners),
    );
    this.#children.add(child);
    context.onStarted(child);
    void child.whenUp.then((isUp) => {
      if (isUp) context.onUp(this, child);
    });
    void child.whenUpInTime.then(() => {
      if (child.state !== 'starting') return;
      logger.warn(`${child.title} is not up after ${formatDuration(bootTimeoutMs)}. ${HOW_TO_BE_UP[spec.kind]}`);
    });
    void child.whenEnded.then((end) => {
      this.#children.delete(child);
      this.#onEnded(child, end);
      context.onEnded(this, child, end);
    });
    return child;
  }

  #promote(successor: SupervisedChild): void {
    this.restarts.started();
    this.#current = successor;
    this.#successor = undefined;
  }

  #onEnded(child: SupervisedChild, end: ChildEnd): void {
    if (this.#isStopping || child !== this.#current) return;
    const how = `${child.title} ended with ${describeEnd(end)} after ${formatDuration(child.ageMs)}`;
    if (!isClean(end)) this.lastFailure = `${describeEnd(end)}${lastOutput(end)}`;
    if (this.#successor) {
      this.context.logger.warn(`${how}: its successor takes over`);
      this.#promote(this.#successor);
    } else {
      this.#restart(end, how);
    }
  }

  /** Starts the next child after a delay, or decides that none follows. */
  #restart(end: ChildEnd, how: string): void {
    const { logger, clock } = this.context;
    const clean = isClean(end);
    const delayMs = this.restarts.ended(clean ? 'returned' : 'failed');
    const { inARow } = this.restarts;
    if (delayMs !== undefined) {
      logger.warn(`${how}: restarting it in ${formatDuration(delayMs)} (restart ${inARow} in a row)`);
      this.#backoff = clock.setTimer(delayMs, () => this.start());
      return;
    }
    this.#outcome = clean && this.spec.restart.when === 'failure' ? 'stopped' : 'failed';
    if (this.#outcome === 'stopped') return logger.log(`${how}: its work is done`);
    const times = inARow === 1 ? 'once' : `${inARow} times in a row`;
    this.context.onFailed(`${this.name} failed ${times}, most recently with ${describeEnd(end)}${lastOutput(end)}`);
  }
}

const HOW_TO_BE_UP = {
  http: 'An HTTP worker is up when it listens.',
  process: 'A process is up when its WorkersModule has booted, or it calls reportReady().',
  thread: 'A thread is up when its WorkersModule has booted, or it calls reportReady().',
} as const;

const lastOutput = ({ lastOutput: text }: ChildEnd): string => (text ? `:\n${text}` : '');
