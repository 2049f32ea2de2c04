import type { Clock } from '@roost/time';
import { ManualClock } from '@roost/time/testing';
import { Heartbeat } from './heartbeat.js';

/** Pings every 100 ms, and reports silence after 300 ms. */
function setup() {
  const manual = new ManualClock();
  let awayMs = 0;
  const clock: Clock = {
    now: () => manual.now() + awayMs,
    monotonic: () => manual.monotonic() + awayMs,
    setTimer: (delayMs, callback) => manual.setTimer(delayMs, callback),
  };
  const told: string[] = [];
  const pinged: string[] = [];
  const heartbeat = new Heartbeat({
    clock,
    heartbeatMs: 100,
    silenceMs: 300,
    ping: (peer) => pinged.push(peer),
    silent: (peer, forMs) => told.push(`${peer} silent for ${forMs}`),
    alive: (peer) => told.push(`${peer} alive`),
  });
  return {
    clock: manual,
    heartbeat,
    told,
    pinged,
    /** Simulates a paused process, whose timers fire late. */
    freeze: (ms: number) => (awayMs += ms),
  };
}

describe('Heartbeat', () => {
  it('pings a peer on a quiet link only', () => {
    const { clock, heartbeat, pinged } = setup();
    const busy = heartbeat.watch('busy');
    heartbeat.watch('quiet');

    for (let look = 0; look < 3; look++) {
      busy.spoken();
      clock.advance(100);
    }

    expect(pinged).toEqual(['quiet', 'quiet', 'quiet']);
    clock.advance(100);
    expect(pinged).toEqual(['quiet', 'quiet', 'quiet', 'busy', 'quiet']);
  });

  it('reports a silent peer once, and its return immediately', () => {
    const { clock, heartbeat, told } = setup();
    const pulse = heartbeat.watch('b');
    pulse.heard();
    clock.advance(399);
    expect(told).toEqual([]);

    clock.advance(1);
    clock.advance(5_000);

    expect(told).toEqual(['b silent for 300']);
    pulse.heard();
    pulse.heard();
    expect(told).toEqual(['b silent for 300', 'b alive']);
    clock.advance(400);
    expect(told).toEqual(['b silent for 300', 'b alive', 'b silent for 300']);
  });

  it('does not report a peer that sends occasionally', () => {
    const { clock, heartbeat, told } = setup();
    const pulse = heartbeat.watch('b');

    for (let time = 0; time < 20; time++) {
      pulse.heard();
      clock.advance(250);
    }

    expect(told).toEqual([]);
  });

  it('does not report a peer that has never sent a frame', () => {
    const { clock, heartbeat, told } = setup();
    heartbeat.watch('b');

    clock.advance(60_000);

    expect(told).toEqual([]);
  });

  it('does not count the time for which its own process was paused', () => {
    const { clock, heartbeat, told, freeze } = setup();
    const pulse = heartbeat.watch('b');
    pulse.heard();
    clock.advance(300);

    freeze(10_000);
    clock.advance(100);
    expect(told).toEqual([]);
    clock.advance(200);
    expect(told).toEqual([]);

    clock.advance(100);
    expect(told).toEqual(['b silent for 300']);
  });

  it('keeps counting after a short delay', () => {
    const { clock, heartbeat, told, freeze } = setup();
    heartbeat.watch('b').heard();
    clock.advance(300);

    freeze(90);
    clock.advance(100);

    expect(told).toEqual(['b silent for 300']);
  });

  it('returns the same pulse for the same peer', () => {
    const { heartbeat } = setup();

    expect(heartbeat.watch('b')).toBe(heartbeat.watch('b'));
  });

  it('forgets a peer, even inside a callback, and leaves no timer', () => {
    const { clock, heartbeat, told, pinged } = setup();
    for (const peer of ['b', 'c']) heartbeat.watch(peer).heard();
    heartbeat.forget('b');
    clock.advance(400);
    expect(told).toEqual(['c silent for 300']);

    heartbeat.forget('c');
    heartbeat.forget('unknown');

    expect(clock.pendingTimers).toBe(0);
    const before = pinged.length;
    clock.advance(1_000);
    expect(pinged).toHaveLength(before);
    heartbeat.watch('d');
    clock.advance(100);
    expect(pinged.at(-1)).toBe('d');
    heartbeat.stop();
    heartbeat.stop();
    expect(clock.pendingTimers).toBe(0);
  });

  it('can be stopped inside a callback', () => {
    const clock = new ManualClock();
    const told: string[] = [];
    const heartbeat: Heartbeat = new Heartbeat({
      clock,
      heartbeatMs: 100,
      silenceMs: 300,
      ping: () => undefined,
      silent: (peer) => {
        told.push(peer);
        heartbeat.stop();
      },
      alive: () => undefined,
    });
    heartbeat.watch('b').heard();
    heartbeat.watch('c').heard();

    clock.advance(1_000);

    expect(told).toEqual(['b']);
    expect(clock.pendingTimers).toBe(0);
  });
});
