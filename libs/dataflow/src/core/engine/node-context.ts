import type { RoostLogger } from '@roost/kernel';
import { InvalidDataflowOptionError } from '../errors/invalid-dataflow-option.error.js';
import { GraphFailedError } from '../errors/graph-failed.error.js';
import type { NodeAction } from '../node/actions.js';
import type { NodeContext, StopRequest } from '../node/context.js';
import { formatTag } from '../time/format-tag.js';
import { formatSpan, nanosecondsOf, type Span } from '../time/span.js';
import { plus, type Tag } from '../time/tag.js';
import { assertDelay } from './assert-delay.js';
import type { NodeRuntime } from './node-runtime.js';
import { SeededRandom } from './seeded-random.js';
import type { Timeline } from './timeline.js';

/** State and callbacks that all nodes of a run share. */
export interface RunScope {
  readonly timeline: Timeline;
  readonly seed: string;
  readonly logger: RoostLogger;
  readonly signal: AbortSignal;
  requestStop(request: StopRequest, from: Tag): void;
}

type Then = (ctx: NodeContext) => void | Promise<void>;

export function createContext(node: NodeRuntime, scope: RunScope): NodeContext {
  const { scheduler, name } = node;
  const random = new SeededRandom(`${scope.seed} ${name}`);
  const context: NodeContext = {
    node: name,
    logger: nodeLogger(node, scope),
    signal: scope.signal,
    get now() {
      return scheduler.tag;
    },
    get date() {
      return new Date(scope.timeline.startedAtMs + scheduler.tag.time / 1e6);
    },
    random: () => random.next(),
    id: () => random.uuid(),
    schedule: (length: Span, what: NodeAction<unknown> | Then, value?: unknown) => {
      if (typeof what !== 'function') return what.schedule(length, value);
      const delay = nanosecondsOf(length);
      node.assertRunning('schedule()');
      assertDelay(delay, name);
      if (node.model.onCrash === 'restart') {
        const expected = 'another policy, because events that a node schedules are lost when its process crashes';
        scheduler.violation(new InvalidDataflowOptionError(`onCrash of node "${name}"`, 'restart', expected));
      }
      const { time, microstep } = plus(scheduler.tag, scheduler.delayOf(delay));
      scheduler.queue.push(time, microstep, node.continuations, { value: what, hash: 0, hasBytes: false });
    },
    requestShutdown: (request = {}) => scope.requestStop(request, scheduler.tag),
    fail: (reason, exitCode = 1) => scheduler.violation(new GraphFailedError(name, reason, exitCode)),
  };
  return context;
}

function nodeLogger({ name, scheduler }: NodeRuntime, { logger, timeline }: RunScope): Required<RoostLogger> {
  const line = (message: string): string =>
    `[${name}] ${formatTag(scheduler.tag)} at ${formatSpan(Math.round(timeline.elapsed() / 1e3) * 1e3)}: ${message}`;
  return {
    debug: (message) => logger.debug?.(line(message)),
    log: (message) => logger.log(line(message)),
    warn: (message) => logger.warn(line(message)),
    error: (message) => logger.error(line(message)),
  };
}
