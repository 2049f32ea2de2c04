import type { ActorContext } from './actor-context.js';
import { Behavior, type BehaviorResult } from './behavior.js';
import type { Signal } from './signals.js';

/** A message that contains its own handler. */
export type Step = (ctx: ActorContext<Step>) => BehaviorResult<Step>;

export interface ScriptedOptions {
  /** Runs after the setup is logged; may throw or wait. */
  readonly onSetup?: (ctx: ActorContext<Step>) => void | Promise<void>;
  /** Runs after the signal is logged. Its result, error or promise becomes the signal handler's. */
  readonly onSignal?: (ctx: ActorContext<Step>, signal: Signal) => BehaviorResult<Step>;
}

/** An actor that runs its messages. It logs its setups and signals: `name setup`, `name PreStart`. */
export function scripted(log: string[], { onSetup, onSignal }: ScriptedOptions = {}): Behavior<Step> {
  return Behavior.setup<Step>((ctx) => {
    const receive = Behavior.receive<Step>((own, step) => step(own)).onSignal((own, signal) => {
      log.push(`${own.name} ${signal.constructor.name}`);
      return onSignal?.(own, signal);
    });
    log.push(`${ctx.name} setup`);
    const ready = onSetup?.(ctx);
    return ready ? ready.then(() => receive) : receive;
  });
}

/** Creates messages that log `name text`. */
export const notes =
  (log: string[]) =>
  (text: string | number): Step =>
  (ctx) =>
    void log.push(`${ctx.name} ${text}`);

/** A message whose handler fails. */
export const failWith =
  (error: unknown): Step =>
  () => {
    throw error;
  };

/** A message whose handler settles with the promise. */
export const waitFor =
  (promise: Promise<unknown>): Step =>
  async () => {
    await promise;
  };
