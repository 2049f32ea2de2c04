import { ManualClock } from '@roost/time/testing';
import { PeerTimeouts } from './peer-timeouts.js';

const setup = () => {
  const clock = new ManualClock();
  const lost: string[] = [];
  const timeouts = new PeerTimeouts(clock, 5_000, (peer, why) => lost.push(`${peer}: ${why}`));
  return { clock, lost, timeouts };
};

describe('PeerTimeouts', () => {
  it('report a peer that has been disconnected for too long', () => {
    const { clock, lost, timeouts } = setup();
    timeouts.observe('a', 'down', 'reset by peer');
    clock.advance(3_000);
    timeouts.observe('a', 'down', 'refused');
    clock.advance(1_999);
    expect(lost).toEqual([]);
    clock.advance(1);
    expect(lost).toEqual(['a: no connection for 5 s (reset by peer)']);
  });

  it.each(['up', 'alive', 'restarted'] as const)('forget a peer that is %s', (event) => {
    const { clock, lost, timeouts } = setup();
    timeouts.observe('a', 'down', '');
    timeouts.observe('b', 'down', '');
    timeouts.observe('a', event, '');
    clock.advance(10_000);
    expect(lost).toEqual(['b: no connection for 5 s ()']);
    timeouts.observe('a', 'down', 'again');
    clock.advance(5_000);
    expect(lost[1]).toBe('a: no connection for 5 s (again)');
  });

  it('report a silent peer immediately', () => {
    const { lost, timeouts } = setup();
    timeouts.observe('a', 'silent', 'no frame received');
    expect(lost).toEqual(['a: no frame received']);
  });

  it('ignore a refusal', () => {
    const { clock, timeouts } = setup();
    timeouts.observe('a', 'refused', 'wrong token');
    expect(clock.pendingTimers).toBe(0);
  });

  it('leave no timer', () => {
    const { clock, lost, timeouts } = setup();
    timeouts.observe('a', 'down', '');
    timeouts.stop();
    timeouts.observe('b', 'down', '');
    timeouts.observe('c', 'silent', '');
    expect([clock.pendingTimers, lost]).toEqual([0, []]);
  });
});
