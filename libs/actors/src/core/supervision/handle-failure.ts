import type { ActorCell } from '../actor-cell.js';
import { Suspension } from '../actor-extras.js';
import { State } from '../actor-state.js';
import { failureChannel } from '../diagnostics.js';
import { textOf } from '../error-text.js';
import type { ActorInitializationException } from '../errors/actor-initialization.error.js';
import { ActorFailed } from '../event-stream.js';
import { beginStop, restart } from '../lifecycle.js';
import { ChildFailed } from '../signals.js';
import { backoffDelayMs } from './backoff.js';
import { Directive } from './directive.js';
import { RestartHistory } from './restart-history.js';
import type { SupervisionStrategy } from './strategy.js';

interface Decision {
  readonly directive: Directive;
  readonly strategy: SupervisionStrategy;
}

/**
 * An actor has thrown, and none of its handlers is running: does what its supervision says.
 *
 * @param escalatedBy the child it has the error from
 */
export function handleFailure(cell: ActorCell, error: unknown, escalatedBy?: ActorCell): void {
  if (cell.state >= State.Stopping) {
    cell.context.log.error(`failed while stopping: ${textOf(error)}`);
    return;
  }
  const { directive, strategy } = decide(cell, error);
  report(cell, error, directive);
  switch (directive) {
    case Directive.Resume:
      // Of a failed restart there is no instance to go on with.
      if (cell.extras?.restart) restartOrStop(cell, error, strategy);
      else escalatedBy?.resume(Suspension.Escalated);
      break;
    case Directive.Restart:
      restartOrStop(cell, error, strategy);
      break;
    case Directive.Stop:
      beginStop(cell, 'kill');
      if (strategy.appliesTo === 'all') for (const sibling of siblingsOf(cell)) sibling.requestStop('kill');
      break;
    case Directive.Escalate:
      cell.suspend(Suspension.Escalated);
      cell.parent!.addWork(() => handleFailure(cell.parent!, error, cell));
  }
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
  // Without a handler it would only lengthen the queue.
  if (parent?.behavior.signalHandler) parent.pushSignal(new ChildFailed(cell, error));
}

function restartOrStop(cell: ActorCell, error: unknown, strategy: SupervisionStrategy): void {
  const { system } = cell;
  const history = (cell.needExtras().restarts ??= new RestartHistory());
  const attempt = history.next(strategy, system.options.clock.monotonic());
  if (attempt === undefined) {
    const { maxRetries, windowMs } = strategy;
    cell.context.log.error(`is stopped: more than ${maxRetries} restarts within ${windowMs} ms`);
    beginStop(cell, 'kill');
    return;
  }
  system.restarts++;
  const delayMs = strategy.backoff ? backoffDelayMs(strategy.backoff, attempt, system.options.random) : 0;
  restart(cell, error, delayMs);
  if (strategy.appliesTo === 'all') {
    for (const sibling of siblingsOf(cell)) sibling.addWork(() => restartSibling(sibling, error, delayMs));
  }
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
