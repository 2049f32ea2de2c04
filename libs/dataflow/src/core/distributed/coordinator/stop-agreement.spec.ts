import { ManualClock } from '@roost/time/testing';
import type { Tag } from '../../time/tag.js';
import { StopAgreement } from './stop-agreement.js';

const at = (time: number, microstep = 0): Tag => ({ time, microstep });

const setup = (planned?: Tag) => {
  const clock = new ManualClock();
  const said: unknown[] = [];
  const agreement = new StopAgreement({
    partitions: 2,
    planned,
    plannedStatus: 'stopped',
    clock,
    agreeTimeoutMs: 1_000,
    propose: ({ round, tag }, isFinal) => said.push(['propose', round, tag.time, isFinal]),
    decide: (tag, isFinal) => said.push(['decide', tag.time, isFinal]),
    onUnanswered: (partitions) => said.push(['unanswered', ...partitions]),
  });
  const now = (time: number): void => agreement.request({ tag: at(time), isFinal: true, by: 'x' });
  const later = (time: number): void => agreement.request({ tag: at(time), isFinal: false, by: 'x' });
  const answers = (round: number, ...times: number[]): void =>
    times.forEach((time, partition) => agreement.answer(round, partition, at(time)));
  return { clock, said, agreement, now, later, answers };
};

describe('StopAgreement', () => {
  it('decides on the latest answer as the final stop', () => {
    const { agreement, said, now, later, answers, clock } = setup();
    now(5);
    answers(1, 7, 6);
    expect(said).toEqual([
      ['propose', 1, 5, true],
      ['decide', 7, true],
    ]);
    expect(agreement.final).toEqual({ tag: at(7), status: 'stopped' });
    now(1);
    later(2);
    expect(said.slice(2)).toEqual([
      ['decide', 7, true],
      ['decide', 7, true],
    ]);
    expect(clock.pendingTimers).toBe(0);
  });

  it('agrees on a plan, and then on an earlier plan', () => {
    const { agreement, said, later, answers } = setup();
    later(50);
    answers(1, 50, 50);
    later(60);
    later(40);
    answers(2, 40, 41);
    expect(said).toEqual([
      ['propose', 1, 50, false],
      ['decide', 50, false],
      ['decide', 50, false],
      ['propose', 2, 40, false],
      ['decide', 41, false],
    ]);
    expect(agreement.final).toBeUndefined();
  });

  it('continues with the earliest plan requested during a round, and drops later plans', () => {
    const { said, later, answers } = setup();
    later(50);
    later(70);
    later(20);
    later(30);
    answers(1, 50, 50);
    answers(2, 20, 20);
    expect(said).toEqual([
      ['propose', 1, 50, false],
      ['decide', 50, false],
      ['propose', 2, 20, false],
      ['decide', 20, false],
    ]);
  });

  it('continues with a final stop requested during a round about a plan', () => {
    const { agreement, said, later, now, answers } = setup();
    later(50);
    now(3);
    later(20);
    answers(1, 50, 50);
    answers(2, 4, 3);
    expect(said.slice(2)).toEqual([
      ['propose', 2, 3, true],
      ['decide', 4, true],
    ]);
    expect(agreement.final).toMatchObject({ tag: at(4) });
  });

  it('ignores a plan requested during a round about a final stop', () => {
    const { said, later, now, answers } = setup();
    now(3);
    later(20);
    now(5);
    answers(1, 4, 3);
    expect(said).toEqual([
      ['propose', 1, 3, true],
      ['decide', 5, true],
    ]);
  });

  it('makes the plan final when a partition reaches it, even during a round', () => {
    const { agreement, said, later, answers, clock } = setup(at(100));
    later(50);
    agreement.plannedStopReached();
    answers(1, 50, 99);
    expect(said).toEqual([
      ['propose', 1, 50, false],
      ['decide', 100, true],
    ]);
    expect([agreement.isNegotiating, clock.pendingTimers]).toEqual([false, 0]);
  });

  it('makes the plan final when a final stop is requested at its tag', () => {
    const { agreement, said, now } = setup(at(100));
    now(100);
    expect(said).toEqual([['decide', 100, true]]);
    expect(agreement.final).toEqual({ tag: at(100), status: 'stopped' });
  });

  it('ignores a reached plan when there is no plan', () => {
    const { agreement, said } = setup();
    agreement.plannedStopReached();
    expect([said, agreement.final]).toEqual([[], undefined]);
  });

  it('completes once, and keeps the first stop tag', () => {
    const { agreement } = setup();
    agreement.complete(at(9, 1));
    agreement.complete(at(10));
    expect(agreement.final).toEqual({ tag: at(9, 1), status: 'completed' });
  });

  it('names the partitions that have not answered in time', () => {
    const { agreement, said, now, clock } = setup();
    now(5);
    agreement.answer(1, 0, at(5));
    clock.advance(1_000);
    expect(said.at(-1)).toEqual(['unanswered', 1]);
  });

  it('counts the progress of a partition that is removed during a round', () => {
    const { agreement, said, now } = setup();
    now(5);
    agreement.answer(1, 0, at(5));
    agreement.remove(1, at(8));
    expect(said.at(-1)).toEqual(['decide', 8, true]);
  });

  it('decides without a round when no partition is present', () => {
    const { agreement, said, now } = setup();
    agreement.remove(0, at(3));
    agreement.remove(1, at(8));
    now(5);
    expect(said).toEqual([['decide', 8, true]]);
  });

  it('repeats the decision and the open proposal for a restarted process', () => {
    const { agreement, later, answers } = setup(at(100));
    const heard: unknown[] = [];
    const repeat = (): void =>
      agreement.repeat(
        ({ round, tag }, isFinal) => heard.push(['propose', round, tag.time, isFinal]),
        (tag, isFinal) => heard.push(['decide', tag.time, isFinal]),
      );
    repeat();
    later(50);
    repeat();
    answers(1, 50, 50);
    repeat();
    agreement.plannedStopReached();
    repeat();
    expect(heard).toEqual([
      ['decide', 100, false],
      ['decide', 100, false],
      ['propose', 1, 50, false],
      ['decide', 50, false],
      ['decide', 50, true],
    ]);
  });
});
