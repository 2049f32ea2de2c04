import { absent } from './absent.js';
import { actionDelay } from './action-delay.js';
import { after } from './after.js';
import { chainWithDelay } from './chain-with-delay.js';
import { compositionAfter } from './composition-after.js';
import { cycleDetection } from './cycle-detection.js';
import { determinism } from './determinism.js';
import { distributedCount } from './distributed-count.js';
import { distributedDoublePort } from './distributed-double-port.js';
import { distributedLoopedAction } from './distributed-looped-action.js';
import { distributedLoopedPhysicalAction } from './distributed-looped-physical-action.js';
import { distributedNetworkOrder } from './distributed-network-order.js';
import { distributedStopZero } from './distributed-stop-zero.js';
import { distributedStop } from './distributed-stop.js';
import { doubleReaction } from './double-reaction.js';
import { doubleTrigger } from './double-trigger.js';
import { feedbackDelay } from './feedback-delay.js';
import { lastWords } from './last-words.js';
import { microsteps } from './microsteps.js';
import { parallelSources } from './parallel-sources.js';
import { physicalConnection } from './physical-connection.js';
import { pingPongDistributed } from './ping-pong-distributed.js';
import { schedule } from './schedule.js';
import { simpleFederated } from './simple-federated.js';
import { slowingClock } from './slowing-clock.js';
import { spuriousDependency } from './spurious-dependency.js';
import { stopAtShutdown } from './stop-at-shutdown.js';
import { stop } from './stop.js';
import { testForPreviousOutput } from './test-for-previous-output.js';
import { timeLimit } from './time-limit.js';
import type { Program } from './program.js';

/** Most programs follow the tests of the same name in Lingua Franca. */
export const PROGRAMS: readonly Program[] = [
  absent,
  actionDelay,
  after,
  chainWithDelay,
  compositionAfter,
  cycleDetection,
  determinism,
  distributedCount,
  distributedDoublePort,
  distributedLoopedAction,
  distributedLoopedPhysicalAction,
  distributedNetworkOrder,
  distributedStopZero,
  distributedStop,
  doubleReaction,
  doubleTrigger,
  feedbackDelay,
  lastWords,
  microsteps,
  parallelSources,
  physicalConnection,
  pingPongDistributed,
  schedule,
  simpleFederated,
  slowingClock,
  spuriousDependency,
  stopAtShutdown,
  stop,
  testForPreviousOutput,
  timeLimit,
];
