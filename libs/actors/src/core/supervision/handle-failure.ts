import { type ActorCell, NO_BEHAVIOR } from '../actor-cell.js';
import { State } from '../actor-state.js';
import { requestStop } from '../deliver-system-message.js';
import { failureChannel } from '../diagnostics.js';
import { textOf } from '../error-text.js';
import type { ActorInitializationException } from '../errors/actor-initialization.error.js';
import { ActorFailed } from '../event-stream.js';
import { beginStop, restart } from '../lifecycle.js';
import { ChildFailed } from '../signals.js';
import { resume, suspend, Suspension } from '../suspension.js';
import { backoffDelayMs } from './backoff.js';
import { Directive } from './directive.js';
import { RestartHistory } from './restart-history.js';
import type { SupervisionStrategy } from './strategy.js';

interface Decision {
  readonly directive: Directive;
  readonly strategy: SupervisionStrategy;
}

/** A failure of a child that the parent has taken over. */
interface Escalation {
  readonly child: ActorCell;
  /** What the child would have followed by itself. */
  readonly strategy: SupervisionStrategy;
}

/** An actor has thrown, and none of its handlers is running: does what its supervision says. */
export function handleFailure(cell: ActorCell, error: unknown, escalation?: Escalation): void {
  // The children of an actor that is being restarted are on their way out: what they fail with is not news.
  if (cell.state >= State.Stopping || (escalation && cell.extras?.restart)) {
    cell.context.log.error(`failed while stopping: ${textOf(error)}`);
    return;
  }
  const { directive, strategy } = decide(cell, error);
  report(cell, error, directive);
  switch (directive) {
    case Directive.Resume:
      // Of a failed restart there is no instance to go on with.
      if (cell.extras?.restart) restartOrStop(cell, error, strategy);
      else if (escalation) resumeChild(escalation, error);
      break;
    case Directive.Restart:
      restartOrStop(cell, error, strategy);
      break;
    case Directive.Stop:
      stop(cell, strategy);
      break;
    case Directive.Escalate:
      suspend(cell, Suspension.Escalated);
      cell.parent!.addWork(() => handleFailure(cell.parent!, error, { child: cell, strategy }));
  }
}

function resumeChild({ child, strategy }: Escalation, error: unknown): void {
  resume(child, Suspension.Escalated);
  if (!child.extras?.restart) return;
  child.addWork(() => {
    if (child.state < State.Stopping && child.extras?.restart) restartOrStop(child, error, strategy);
  });
}

/** An actor could not be started. It ends, whatever the supervision says. */
export function initializationFailed(cell: ActorCell, error: ActorInitializationException): void {
  report(cell, error, Directive.Stop);
  beginStop(cell, 'kill');
}

/** The first of behavior, options and parent that does not escalate. */
function decide(cell: ActorCell, error: unknown): Decision {
  const { parent, system } = cell;
  const ofParent = parent?.props.childSupervision ?? system.options.supervision;
  let last = ofParent;
  for (const strategy of [cell.behavior.supervision, cell.props.supervision, ofParent]) {
    if (!strategy) continue;
    last = strategy;
    const directive = decideOrStop(cell, strategy, error);
    if (directive !== Directive.Escalate) return { directive, strategy };
  }
  // Nobody is above the top, and who is ending has no more say.
  const canEscalate = parent !== null && parent.parent !== null && parent.state < State.Stopping;
  return { directive: canEscalate ? Directive.Escalate : Directive.Stop, strategy: last };
}

function decideOrStop(cell: ActorCell, strategy: SupervisionStrategy, error: unknown): Directive {
  try {
    return strategy.decide(error);
  } catch (thrown) {
    cell.context.log.error(`the decider of its supervision threw, so it is stopped: ${textOf(thrown)}`);
    return Directive.Stop;
  }
}

function report(cell: ActorCell, error: unknown, directive: Directive): void {
  const { system, parent } = cell;
  cell.context.log[directive === Directive.Resume ? 'warn' : 'error'](`failed (${directive}): ${textOf(error)}`);
  system.failures++;
  system.events.publish(new ActorFailed(cell, error, directive));
  if (failureChannel.hasSubscribers) failureChannel.publish({ ref: cell, error, directive });
  // Without a handler it would only lengthen the queue. One that is starting may have a handler soon.
  if (parent?.behavior.signalHandler || parent?.behavior === NO_BEHAVIOR)
    parent.pushSignal(new ChildFailed(cell, error));
}

function restartOrStop(cell: ActorCell, error: unknown, strategy: SupervisionStrategy): void {
  const { system } = cell;
  const history = (cell.needExtras().restarts ??= new RestartHistory());
  const attempt = history.next(strategy, system.options.clock.monotonic());
  if (attempt === undefined) {
    const { maxRetries, windowMs } = strategy;
    cell.context.log.error(`is stopped: more than ${maxRetries} restarts within ${windowMs} ms`);
    stop(cell, strategy);
    return;
  }
  system.restarts++;
  const delayMs = strategy.backoff ? backoffDelayMs(strategy.backoff, attempt, system.options.random) : 0;
  restart(cell, error, delayMs);
  if (strategy.appliesTo === 'all') {
    for (const sibling of siblingsOf(cell)) sibling.addWork(() => restartSibling(sibling, error, delayMs));
  }
}

function stop(cell: ActorCell, strategy: SupervisionStrategy): void {
  beginStop(cell, 'kill');
  if (strategy.appliesTo === 'all') for (const sibling of siblingsOf(cell)) requestStop(sibling, 'kill');
}

function restartSibling(sibling: ActorCell, error: unknown, delayMs: number): void {
  const running = sibling.state === State.Running || sibling.state === State.Suspended;
  if (!running || sibling.extras?.restart) return;
  sibling.system.restarts++;
  (sibling.needExtras().restarts ??= new RestartHistory()).count++;
  restart(sibling, error, delayMs);
}

const siblingsOf = (cell: ActorCell): ActorCell[] =>
  [...(cell.parent?.children?.values() ?? [])].filter((sibling) => sibling !== cell);
