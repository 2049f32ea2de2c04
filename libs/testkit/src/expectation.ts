import type { ActorFailed, DeadLetter } from '@roost/actors/core';
import { show, showError, showList } from './show.js';

/** Details for the message of a failed expectation. */
export interface Circumstances {
  /** Path of the probe, if a probe expected it. */
  readonly probe?: string;
  readonly expected: string;
  readonly withinMs: number;
  /** Actual outcome, in words. */
  readonly instead: string;
  readonly skipped?: readonly unknown[];
  readonly waiting?: readonly unknown[];
  readonly deadLetters: readonly DeadLetter[];
  readonly failures: readonly ActorFailed[];
  readonly unfinished: readonly string[];
  /** Time until the clock's next timer, if nothing arrived and there is one, in ms. */
  readonly nextTimerInMs: number | undefined;
}

/** `expected A within 0 ms, but got B; also waiting: …; dead letters: …; actor failures: …` */
export function describeFailure(about: Circumstances): string {
  const { probe, expected, withinMs, instead, nextTimerInMs } = about;
  const parts = [`${probe === undefined ? '' : `${probe} `}expected ${expected} within ${withinMs} ms, but ${instead}`];
  const add = (title: string, list: readonly unknown[] = [], showOne?: (value: never) => string): void => {
    if (list.length > 0) parts.push(`${title}: ${showList(list, showOne)}`);
  };
  add('skipped', about.skipped);
  add('also waiting', about.waiting);
  add('dead letters', about.deadLetters, showDeadLetter);
  add('actor failures', about.failures, showFailure);
  add('unfinished handlers', about.unfinished, String);
  if (nextTimerInMs !== undefined) {
    parts.push(`the next timer is due in ${nextTimerInMs} ms: pass { within } or call kit.advance() to reach it`);
  }
  return parts.join('; ');
}

const showDeadLetter = ({ message, recipient, reason }: DeadLetter): string =>
  `${show(message)} to ${recipient} (${reason})`;

const showFailure = ({ ref, error, directive }: ActorFailed): string =>
  `${ref.path} ${showError(error)} (${directive})`;
