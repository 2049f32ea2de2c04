import { stackOf } from '@roost/kernel';
import { NO_BEHAVIOR } from '../behavior.js';
import type { ActorCell } from '../cell/actor-cell.js';
import { State } from '../cell/actor-state.js';
import { restart } from '../cell/restart.js';
import { beginStop, requestStop } from '../cell/stop.js';
import { resume, suspend, Suspension } from '../cell/suspension.js';
import { typeOf } from '../type-of.js';
import type { ActorInitializationException } from '../errors/actor-initialization.error.js';
import { failureChannel } from '../observe/diagnostics.js';
import { ActorFailed } from '../observe/event-stream.js';
import { ChildFailed } from '../signals.js';
import { check } from '../option-checks.js';
import { assertDirective } from './decider.js';
import { Directive } from './directive.js';
import { RestartRecord } from './restart-record.js';
import {
  type ActorFailure,
  possibleDirective,
  type SupervisionDecision,
  type SupervisionStrategy,
} from './strategy.js';

/** A child's failure that was escalated to the parent. */
interface Escalation {
  readonly child: ActorCell;
  /** The last strategy consulted for the child. */
  readonly strategy: SupervisionStrategy;
}

/** Carries out the supervision's decision on a failed actor. Only while none of its handlers is running. */
export function handleFailure(cell: ActorCell, error: unknown, escalation?: Escalation): void {
  // The children of a restarting actor are being stopped anyway, so their failures are only logged.
  if (cell.state >= State.Stopping || (escalation && cell.extras?.restart)) {
    cell.context.log.error(`failed while stopping: ${stackOf(error)}`);
    return;
  }
  const { decision, strategy } = decide(cell, error);
  if (decision.directive === Directive.Restart) restartsOf(cell).begin();
  report(cell, error, decision, escalation);
  carryOut(cell, error, decision);
  if (decision.directive === Directive.Resume && escalation) resumeChild(escalation, error);
  if (decision.directive === Directive.Escalate) escalate(cell, error, strategy);
}

/** Stops an actor whose first setup has failed, regardless of its supervision. */
export function failInitialization(cell: ActorCell, error: ActorInitializationException): void {
  report(cell, error, { directive: Directive.Stop });
  beginStop(cell, 'kill');
}

/** Consults behavior, options and parent, in this order, until one does not escalate. */
function decide(
  cell: ActorCell,
  error: unknown,
): { readonly decision: SupervisionDecision; readonly strategy: SupervisionStrategy } {
  const { parent, system } = cell;
  const ofParent = parent?.props.childSupervision ?? system.options.supervision;
  const failure = failureOf(cell, error, true);
  let strategy = ofParent;
  for (const candidate of [cell.behavior.supervision, cell.props.supervision, ofParent]) {
    if (!candidate) continue;
    strategy = candidate;
    const decision = ask(cell, strategy, failure);
    if (decision.directive !== Directive.Escalate) return { decision, strategy };
  }
  // A top-level actor has no parent to escalate to, and a stopping parent does not decide.
  const canEscalate = parent !== null && parent.parent !== null && parent.state < State.Stopping;
  return { decision: { directive: canEscalate ? Directive.Escalate : Directive.Stop }, strategy };
}

function failureOf(cell: ActorCell, error: unknown, canEscalate: boolean): ActorFailure {
  return {
    error,
    actor: cell,
    restarts: restartsOf(cell),
    random: cell.system.options.random,
    canResume: cell.extras?.restart === undefined,
    canEscalate,
  };
}

const restartsOf = (cell: ActorCell): RestartRecord =>
  (cell.needExtras().restarts ??= new RestartRecord(cell.system.options.clock));

/** Consults a strategy. A user's strategy may throw or return anything; an invalid answer stops the actor. */
function ask(cell: ActorCell, strategy: SupervisionStrategy, failure: ActorFailure): SupervisionDecision {
  try {
    const answer = strategy.decide(failure);
    const decision = typeof answer === 'object' && answer !== null ? answer : { directive: answer };
    assertDirective(decision.directive, 'supervision.decide()');
    if (decision.delayMs !== undefined) {
      check.number(decision.delayMs, 'supervision.decide().delayMs', { least: 0 });
    }
    return { ...decision, directive: possibleDirective(decision.directive, failure) };
  } catch (thrown) {
    cell.context.log.error(`its supervision strategy failed, so the actor is stopped: ${stackOf(thrown)}`);
    return { directive: Directive.Stop };
  }
}

/** Restarts or stops the actor, and its siblings if the decision includes them. */
function carryOut(cell: ActorCell, error: unknown, decision: SupervisionDecision): void {
  const { directive, delayMs = 0, includesSiblings = false } = decision;
  const siblings = (): ActorCell[] => (includesSiblings ? siblingsOf(cell) : []);
  if (directive === Directive.Restart) {
    cell.system.restarts++;
    restart(cell, error, delayMs);
    for (const sibling of siblings()) sibling.addWork(() => restartSibling(sibling, error, delayMs));
  } else if (directive === Directive.Stop) {
    beginStop(cell, 'kill');
    for (const sibling of siblings()) requestStop(sibling, 'kill');
  }
}

function escalate(cell: ActorCell, error: unknown, strategy: SupervisionStrategy): void {
  const parent = cell.parent!;
  suspend(cell, Suspension.Escalated);
  parent.addWork(() => handleFailure(parent, error, { child: cell, strategy }));
}

/** Resumes the child of a resumed parent. If the child's restart had failed, its own strategy decides once more. */
function resumeChild({ child, strategy }: Escalation, error: unknown): void {
  resume(child, Suspension.Escalated);
  if (!child.extras?.restart) return;
  child.addWork(() => {
    if (child.state >= State.Stopping || !child.extras?.restart) return;
    const decision = ask(child, strategy, failureOf(child, error, false));
    if (decision.directive === Directive.Restart) restartsOf(child).begin();
    carryOut(child, error, decision);
  });
}

function restartSibling(sibling: ActorCell, error: unknown, delayMs: number): void {
  const running = sibling.state === State.Running || sibling.state === State.Suspended;
  if (!running || sibling.extras?.restart) return;
  sibling.system.restarts++;
  // Counted as a restart, but not against the sibling's restart limit.
  restartsOf(sibling).count++;
  restart(sibling, error, delayMs);
}

const siblingsOf = (cell: ActorCell): ActorCell[] =>
  [...(cell.parent?.children?.values() ?? [])].filter((sibling) => sibling !== cell);

function report(
  cell: ActorCell,
  error: unknown,
  { directive, reason }: SupervisionDecision,
  escalation?: Escalation,
): void {
  const { system, parent } = cell;
  const messageType = escalation || cell.message === undefined ? undefined : typeOf(cell.message);
  const where = escalation ? ` because of ${escalation.child.path}` : messageType ? ` on ${messageType}` : '';
  const what = reason ? `${directive}: ${reason}` : directive;
  cell.context.log[directive === Directive.Resume ? 'warn' : 'error'](`failed${where} (${what}): ${stackOf(error)}`);
  system.failures++;
  system.events.publish(new ActorFailed(cell, error, directive, messageType));
  if (failureChannel.hasSubscribers) failureChannel.publish({ ref: cell, error, directive });
  // Without a handler the signal would only fill the mailbox. A parent that is still starting may get a handler.
  if (parent?.behavior.signalHandler || parent?.behavior === NO_BEHAVIOR)
    parent.pushSignal(new ChildFailed(cell, error));
}
