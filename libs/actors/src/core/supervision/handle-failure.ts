import { formatDuration } from '@roost/time';
import { NO_BEHAVIOR } from '../behavior.js';
import type { ActorCell } from '../cell/actor-cell.js';
import { State } from '../cell/actor-state.js';
import { failureChannel } from '../observe/diagnostics.js';
import { textOf, typeOf } from '../error-text.js';
import type { ActorInitializationException } from '../errors/actor-initialization.error.js';
import { ActorFailed } from '../observe/event-stream.js';
import { restart } from '../cell/restart.js';
import { beginStop, requestStop } from '../cell/stop.js';
import { ChildFailed } from '../signals.js';
import { resume, suspend, Suspension } from '../cell/suspension.js';
import { backoffDelayMs } from './backoff.js';
import { Directive } from './directive.js';
import { RestartHistory } from './restart-history.js';
import type { SupervisionStrategy } from './strategy.js';

interface Decision {
  readonly directive: Directive;
  readonly strategy: SupervisionStrategy;
  /** Of a restart: which one in a row it is, from 0. */
  readonly attempt?: number;
  /** Of a stop: why it is not the restart that it would have been. */
  readonly insteadOfRestart?: string;
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
  const decision = withinBudget(cell, decide(cell, error));
  report(cell, error, decision, escalation);
  carryOut(cell, error, decision, escalation);
}

function carryOut(cell: ActorCell, error: unknown, decision: Decision, escalation?: Escalation): void {
  const { directive, strategy, attempt = 0 } = decision;
  switch (directive) {
    case Directive.Resume:
      if (escalation) resumeChild(escalation, error);
      break;
    case Directive.Restart:
      restartAll(cell, error, strategy, attempt);
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
    if (child.state >= State.Stopping || !child.extras?.restart) return;
    carryOut(child, error, withinBudget(child, { directive: Directive.Restart, strategy }));
  });
}

/** The first setup of an actor has failed. The actor stops, whatever the supervision says. */
export function failInitialization(cell: ActorCell, error: ActorInitializationException): void {
  report(cell, error, { directive: Directive.Stop });
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

/** A restart that is one too many is a stop. */
function withinBudget(cell: ActorCell, decision: Decision): Decision {
  const { directive, strategy } = decision;
  // Of a failed restart there is no instance to go on with.
  const restarts = directive === Directive.Restart || (directive === Directive.Resume && cell.extras?.restart);
  if (!restarts) return decision;
  const history = (cell.needExtras().restarts ??= new RestartHistory());
  const attempt = history.next(strategy, cell.system.options.clock.monotonic());
  if (attempt !== undefined) return { directive: Directive.Restart, strategy, attempt };
  const { maxRetries, windowMs } = strategy;
  const insteadOfRestart = `more than ${maxRetries} restarts within ${formatDuration(windowMs)}`;
  return { directive: Directive.Stop, strategy, insteadOfRestart };
}

function report(
  cell: ActorCell,
  error: unknown,
  { directive, insteadOfRestart }: Pick<Decision, 'directive' | 'insteadOfRestart'>,
  escalation?: Escalation,
): void {
  const { system, parent } = cell;
  const messageType = escalation || cell.message === undefined ? undefined : typeOf(cell.message);
  const where = escalation ? ` by ${escalation.child.path}` : messageType ? ` on ${messageType}` : '';
  const what = insteadOfRestart ? `${directive}: ${insteadOfRestart}` : directive;
  cell.context.log[directive === Directive.Resume ? 'warn' : 'error'](`failed${where} (${what}): ${textOf(error)}`);
  system.failures++;
  system.events.publish(new ActorFailed(cell, error, directive, messageType));
  if (failureChannel.hasSubscribers) failureChannel.publish({ ref: cell, error, directive });
  // Without a handler it would only lengthen the queue. One that is starting may have a handler soon.
  if (parent?.behavior.signalHandler || parent?.behavior === NO_BEHAVIOR)
    parent.pushSignal(new ChildFailed(cell, error));
}

function restartAll(cell: ActorCell, error: unknown, strategy: SupervisionStrategy, attempt: number): void {
  const { system } = cell;
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
