import { ManualClock } from '@roost/time/testing';
import { PeerWatch } from './peer-timeouts.js';

const setup = () => {
  const clock = new ManualClock();
  const lost: string[] = [];
  const watch = new PeerWatch(clock, 5_000, (peer, why) => lost.push(`${peer}: ${why}`));
  return { clock, lost, watch };
};

describe('PeerWatch', () => {
  it('tells that a peer has been without a connection for too long', () => {
    const { clock, lost, watch } = setup();
    watch.tell('a', 'down', 'reset by peer');
    clock.advance(3_000);
    watch.tell('a', 'down', 'refused');
    clock.advance(1_999);
    expect(lost).toEqual([]);
    clock.advance(1);
    expect(lost).toEqual(['a: no connection for 5 s (reset by peer)']);
  });

  it.each(['up', 'alive', 'restarted'] as const)('forgets it when the peer is %s', (event) => {
    const { clock, lost, watch } = setup();
    watch.tell('a', 'down', '');
    watch.tell('b', 'down', '');
    watch.tell('a', event, '');
    clock.advance(10_000);
    expect(lost).toEqual(['b: no connection for 5 s ()']);
    watch.tell('a', 'down', 'again');
    clock.advance(5_000);
    expect(lost[1]).toBe('a: no connection for 5 s (again)');
  });

  it('does not wait with one that is silent', () => {
    const { lost, watch } = setup();
    watch.tell('a', 'silent', 'nothing was heard');
    expect(lost).toEqual(['a: nothing was heard']);
  });

  it('takes a refusal for what it is: no news', () => {
    const { clock, watch } = setup();
    watch.tell('a', 'refused', 'wrong token');
    expect(clock.pendingTimers).toBe(0);
  });

  it('leaves nothing behind', () => {
    const { clock, lost, watch } = setup();
    watch.tell('a', 'down', '');
    watch.stop();
    watch.tell('b', 'down', '');
    watch.tell('c', 'silent', '');
    expect([clock.pendingTimers, lost]).toEqual([0, []]);
  });
});
