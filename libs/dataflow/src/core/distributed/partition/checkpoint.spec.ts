import { NEVER, type Tag } from '../../time/tag.js';
import { ReceiveWindow, SendWindows } from './flow-control.js';
import type { CrossEdge } from '../plan.js';
import { CheckpointTracker } from './checkpoint.js';

const at = (time: number, microstep = 0): Tag => ({ time, microstep });
const edge = (index: number, delay = 0): CrossEdge => ({ model: { index, delay: at(delay) } }) as unknown as CrossEdge;

const setup = (delay = 0) => {
  const out = edge(1, delay);
  const sendWindows = new SendWindows(9, [out], () => true);
  const window = new ReceiveWindow(edge(2));
  const tracker = new CheckpointTracker(sendWindows, [window], [out]);
  return { sendWindows, window, tracker };
};

describe('CheckpointTracker', () => {
  it('reports the last tag whose messages have been received', () => {
    const { tracker } = setup();
    expect(tracker.report()).toEqual(NEVER);
    tracker.confirmed(at(5, 1), NEVER);
    expect(tracker.report()).toEqual(at(5, 1));
    tracker.confirmed(at(4), NEVER);
    expect(tracker.report()).toEqual(at(5, 1));
  });

  it('stays before a message that a receiver may need again', () => {
    const { tracker, sendWindows } = setup();
    sendWindows.add(1, at(3), at(3), new Uint8Array());
    sendWindows.add(1, at(4, 2), at(4, 2), new Uint8Array());
    tracker.confirmed(at(5), NEVER);
    expect(tracker.report()).toEqual(at(2, 2 ** 32 - 1));
    sendWindows.release(1, at(3));
    expect(tracker.report()).toEqual(at(4, 1));
    sendWindows.release(1, at(9));
    expect(tracker.report()).toEqual(at(5));
  });

  it('covers whole instants when an edge has a delay in time', () => {
    const { tracker } = setup(10);
    tracker.confirmed(at(5, 3), NEVER);
    expect(tracker.report()).toEqual(at(4, 2 ** 32 - 1));
  });

  it('advances when a sender retains messages before it', () => {
    const { tracker, window } = setup();
    window.add(at(3), at(3));
    expect(tracker.hasAdvanced()).toBe(false);
    tracker.confirmed(at(5), NEVER);
    expect(tracker.hasAdvanced()).toBe(true);
    expect(tracker.report()).toEqual(at(5));
    expect([tracker.hasAdvanced(), window.takeCredit(1)]).toEqual([false, undefined]);
    tracker.confirmed(at(5), at(5));
    expect(window.takeCredit(1)).toEqual(at(3));
  });

  it('continues from the checkpoint of a resume point', () => {
    const { tracker } = setup();
    tracker.resumeFrom(at(7));
    tracker.confirmed(at(5), NEVER);
    expect(tracker.report()).toEqual(at(7));
  });
});
