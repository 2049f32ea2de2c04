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
  it('stops where the last of all can, for good', () => {
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

  it('agrees on a plan, and then on an earlier one', () => {
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

  it('takes up the earliest plan that came during a round, and forgets later ones', () => {
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

  it('takes up a stop as soon as possible that came during a round about a plan', () => {
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

  it('does not take up a plan that came during a round about a stop as soon as possible', () => {
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

  it('makes what is planned final when somebody gets there, whatever is being asked', () => {
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

  it('makes what is planned final for who is there and wants to stop', () => {
    const { agreement, said, now } = setup(at(100));
    now(100);
    expect(said).toEqual([['decide', 100, true]]);
    expect(agreement.final).toEqual({ tag: at(100), status: 'stopped' });
  });

  it('never gets to a plan that there is not', () => {
    const { agreement, said } = setup();
    agreement.plannedStopReached();
    expect([said, agreement.final]).toEqual([[], undefined]);
  });

  it('completes only what is not stopped', () => {
    const { agreement } = setup();
    agreement.complete(at(9, 1));
    agreement.complete(at(10));
    expect(agreement.final).toEqual({ tag: at(9, 1), status: 'completed' });
  });

  it('says who has not answered in time', () => {
    const { agreement, said, now, clock } = setup();
    now(5);
    agreement.answer(1, 0, at(5));
    clock.advance(1_000);
    expect(said.at(-1)).toEqual(['unanswered', 1]);
  });

  it('counts those who leave, and what they have done', () => {
    const { agreement, said, now } = setup();
    now(5);
    agreement.answer(1, 0, at(5));
    agreement.remove(1, at(8));
    expect(said.at(-1)).toEqual(['decide', 8, true]);
  });

  it('stops without asking when nobody is left', () => {
    const { agreement, said, now } = setup();
    agreement.remove(0, at(3));
    agreement.remove(1, at(8));
    now(5);
    expect(said).toEqual([['decide', 8, true]]);
  });

  it('repeats for who comes late what is known and what is asked', () => {
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
