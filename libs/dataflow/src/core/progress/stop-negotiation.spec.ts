import fc from 'fast-check';
import { earlierOf, FOREVER, isBefore, laterOf, type Tag } from '../time/tag.js';
import { at } from './graphs.fixture.js';
import { StopNegotiation } from './stop-negotiation.js';

describe('StopNegotiation', () => {
  it('asks all present partitions and grants the latest answer', () => {
    const stop = new StopNegotiation(3);
    expect(stop.state).toBe('idle');
    expect(stop.stopTag).toBe(FOREVER);
    expect(stop.request(at(5), 'a')).toEqual({ ask: { round: 1, tag: at(5) } });
    expect(stop.state).toBe('asking');
    expect(stop.answer(1, 0, at(5))).toBeUndefined();
    expect(stop.answer(1, 1, at(7, 1))).toBeUndefined();
    expect(stop.waitingFor).toEqual([2]);
    expect(stop.stopTag).toBe(FOREVER);
    expect(stop.answer(1, 2, at(6))).toEqual({ grant: at(7, 1) });
    expect(stop.state).toBe('granted');
    expect(stop.stopTag).toEqual(at(7, 1));
  });

  it('adds requests to the open round, and counts the latest', () => {
    const stop = new StopNegotiation(2);
    stop.request(at(5), 'a');
    stop.answer(1, 0, at(5));
    expect(stop.request(at(3), 'b')).toBeUndefined();
    expect(stop.request(at(9), 'c')).toBeUndefined();
    expect(stop.request(at(8), 'c')).toBeUndefined();
    expect(stop.answer(1, 1, at(6))).toEqual({ grant: at(9) });
    expect(stop.requestedBy).toEqual(['a', 'b', 'c']);
  });

  it('ignores repeated answers, unknown partitions, and answers without a round', () => {
    const stop = new StopNegotiation(2);
    expect(stop.answer(0, 0, at(50))).toBeUndefined();
    stop.request(at(5), 'a');
    stop.answer(1, 0, at(5));
    expect(stop.answer(1, 0, at(50))).toBeUndefined();
    expect(stop.answer(1, 7, at(50))).toBeUndefined();
    expect(stop.answer(1, 1, at(6))).toEqual({ grant: at(6) });
    expect(stop.answer(1, 1, at(60))).toBeUndefined();
    expect(stop.stopTag).toEqual(at(6));
  });

  it('does not wait for partitions that leave, but respects their progress', () => {
    const stop = new StopNegotiation(3);
    expect(stop.leave(0, at(6))).toBeUndefined();
    expect(stop.leave(0, at(60))).toBeUndefined();
    stop.request(at(5), 'a');
    expect(stop.answer(1, 1, at(5))).toBeUndefined();
    expect(stop.answer(1, 0, at(40))).toBeUndefined();
    expect(stop.leave(2, at(2))).toEqual({ grant: at(6) });
    expect(stop.leave(2, at(50))).toBeUndefined();
    expect(stop.stopTag).toEqual(at(6));
  });

  it('counts the answer of a partition that leaves during the round', () => {
    const stop = new StopNegotiation(2);
    stop.request(at(5), 'a');
    stop.answer(1, 0, at(8));
    expect(stop.leave(0, at(6))).toBeUndefined();
    expect(stop.answer(1, 1, at(5))).toEqual({ grant: at(8) });
  });

  it('grants immediately when no partition is present', () => {
    const stop = new StopNegotiation(1);
    stop.leave(0, at(3));
    expect(stop.request(at(5), 'a')).toEqual({ grant: at(5) });
    expect(stop.state).toBe('granted');
  });

  it('ignores a request that is not before the stop tag', () => {
    const stop = new StopNegotiation(1, at(20));
    expect(stop.request(at(20), 'a')).toBeUndefined();
    expect(stop.state).toBe('idle');
    stop.request(at(10), 'b');
    stop.answer(1, 0, at(10));
    expect(stop.request(at(10), 'c')).toBeUndefined();
    expect(stop.request(at(11), 'c')).toBeUndefined();
    expect(stop.stopTag).toEqual(at(10));
    expect(stop.requestedBy).toEqual(['b']);
  });

  it('keeps a plan that is earlier than the negotiated tag', () => {
    const stop = new StopNegotiation(1, at(10));
    expect(stop.stopTag).toEqual(at(10));
    stop.request(at(9), 'a');
    expect(stop.answer(1, 0, at(10, 1))).toEqual({ grant: at(10) });
  });

  it('replaces a future stop with an earlier one', () => {
    const stop = new StopNegotiation(2, at(1_000));
    stop.request(at(100), 'timeout');
    stop.answer(1, 0, at(100));
    expect(stop.answer(1, 1, at(100))).toEqual({ grant: at(100) });
    expect(stop.request(at(5), 'signal')).toEqual({ ask: { round: 2, tag: at(5) } });
    expect(stop.state).toBe('asking');
    expect(stop.stopTag).toEqual(at(100));
    expect(stop.answer(1, 0, at(100))).toBeUndefined();
    stop.answer(2, 0, at(7));
    expect(stop.answer(2, 1, at(5))).toEqual({ grant: at(7) });
    expect(stop.requestedBy).toEqual(['timeout', 'signal']);
  });

  it('ignores a later request during a round for an earlier stop', () => {
    const stop = new StopNegotiation(1, at(100));
    stop.request(at(5), 'signal');
    expect(stop.request(at(100), 'late')).toBeUndefined();
    expect(stop.request(FOREVER, 'never')).toBeUndefined();
    expect(stop.answer(1, 0, at(5))).toEqual({ grant: at(5) });
    expect(stop.requestedBy).toEqual(['signal']);
  });

  it('keeps a stop tag that some partitions have already reached', () => {
    const stop = new StopNegotiation(2);
    stop.request(at(5), 'a');
    stop.answer(1, 0, at(5));
    stop.answer(1, 1, at(6));
    stop.leave(0, at(6, 1));
    stop.request(at(5, 1), 'b');
    expect(stop.answer(2, 1, at(5, 1))).toEqual({ grant: at(6) });
  });

  it('always ends, with one tag that no partition has passed', () => {
    const event = fc.record({
      type: fc.constantFrom('request', 'advance', 'answer', 'answer', 'leave', 'deliver', 'deliver'),
      who: fc.nat({ max: 3 }),
      ahead: fc.integer({ min: 0, max: 12 }),
    });
    const plans = fc.oneof(
      fc.constant(FOREVER),
      fc.nat({ max: 30 }).map((time) => at(time)),
    );
    fc.assert(fc.property(plans, fc.array(event, { maxLength: 80 }), negotiate), { numRuns: 500 });
  });
});

interface Member {
  /** The last time that it has begun. Times are integers, to keep the model small. */
  current: number;
  stopAt: Tag;
  /** It begins nothing from this tag on until it learns the outcome. */
  barrier: Tag;
  isPresent: boolean;
  inbox: ({ ask: { round: number; tag: Tag } } | { grant: Tag })[];
}

interface Event {
  readonly type: string;
  readonly who: number;
  readonly ahead: number;
}

function negotiate(plan: Tag, events: readonly Event[]): void {
  const stop = new StopNegotiation(4, plan);
  const members: Member[] = Array.from({ length: 4 }, () => {
    return { current: -1, stopAt: plan, barrier: FOREVER, isPresent: true, inbox: [] };
  });
  const answers: (() => void)[] = [];
  let last = FOREVER;
  const tell = (message: ReturnType<StopNegotiation['request']>): void => {
    if (!message) return;
    if ('grant' in message) {
      expect(isBefore(last, message.grant)).toBe(false);
      last = message.grant;
    }
    for (const member of members) if (member.isPresent) member.inbox.push(message);
  };
  const deliver = (who: number): void => {
    const member = members[who]!;
    const message = member.inbox.shift();
    if (!message || !member.isPresent) return;
    if ('grant' in message) {
      member.stopAt = message.grant;
      member.barrier = FOREVER;
      expect(isBefore(member.stopAt, at(member.current))).toBe(false);
      return;
    }
    const { round, tag } = message.ask;
    const answer = laterOf(tag, at(member.current + 1));
    member.barrier = answer;
    answers.push(() => tell(stop.answer(round, who, answer)));
  };
  for (const { type, who, ahead } of events) {
    const member = members[who]!;
    const next = at(member.current + 1);
    if (type === 'request') tell(stop.request(at(member.current + 1 + ahead), `p${who}`));
    else if (type === 'deliver') deliver(who);
    else if (type === 'answer') answers.shift()?.();
    else if (type === 'advance') {
      const isAllowed = !isBefore(member.stopAt, next) && isBefore(next, member.barrier);
      if (member.isPresent && isAllowed) member.current++;
    } else if (member.isPresent) {
      member.isPresent = false;
      tell(stop.leave(who, next));
    }
  }
  const isBusy = (): boolean =>
    answers.length > 0 || members.some(({ isPresent, inbox }) => isPresent && inbox.length > 0);
  while (isBusy()) {
    for (const who of members.keys()) deliver(who);
    answers.shift()?.();
  }
  expect(stop.state).not.toBe('asking');
  for (const member of members) {
    if (member.isPresent) expect(member.stopAt).toEqual(stop.stopTag);
    if (member.current >= 0) expect(isBefore(stop.stopTag, at(member.current))).toBe(false);
  }
  expect(stop.stopTag).toEqual(earlierOf(plan, last));
}
