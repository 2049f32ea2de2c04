import { DEFAULT_PROCESS_OPTIONS, placeInProcess, type ProcessOptions } from '../index.js';
import { MemoryNetwork } from '../testing/memory-network.js';
import { resolveProcessOptions } from './options.js';

const given: ProcessOptions = {
  graph: () => undefined,
  placement: { processes: { left: ['a'], right: ['b'] } },
  process: 'left',
  transport: new MemoryNetwork(),
};

describe('process options', () => {
  it('have defaults', () => {
    expect(resolveProcessOptions({ ...given, ...{ window: undefined } })).toMatchObject(DEFAULT_PROCESS_OPTIONS);
    expect(DEFAULT_PROCESS_OPTIONS).toEqual({
      heartbeatMs: 1_000,
      crashAfterMs: 5_000,
      joinTimeoutMs: 30_000,
      restartTimeoutMs: 30_000,
      agreeTimeoutMs: 5_000,
      window: 1_024,
      maxMessageBytes: 16 * 1024 * 1024,
    });
  });

  it("accept a process of the placement or the coordinator's, and reject any other", () => {
    for (const process of ['left', 'right', 'coordinator'])
      expect(resolveProcessOptions({ ...given, process }).process).toBe(process);
    expect(() => placeInProcess({ ...given, process: 'middle' })).toThrow(
      "`process` is 'middle', but must be the name of a process in the placement: left, right, coordinator",
    );
    const placement = { ...given.placement, coordinator: 'left' };
    expect(() => placeInProcess({ ...given, placement, process: 'coordinator' })).toThrow('a process in the placement');
  });

  it.each<[string, Partial<ProcessOptions>, string]>([
    ['a missing placement', { placement: undefined }, '`placement` is undefined'],
    ['a placement without processes', { placement: {} as never }, '`placement` is'],
    ['an invalid transport', { transport: {} as never }, 'tcp() or nats()'],
    [
      'a crashAfterMs below three heartbeats',
      { heartbeatMs: 2_000, crashAfterMs: 5_999 },
      'at least three times heartbeatMs',
    ],
    ['a window of 0', { window: 0 }, '`window` is 0'],
    ['a fractional window', { window: 1.5 }, '`window` is 1.5'],
    ['a negative timeout', { joinTimeoutMs: -1 }, '`joinTimeoutMs` is -1'],
    ['a timeout that is not a number', { agreeTimeoutMs: '5' as never }, "`agreeTimeoutMs` is '5'"],
    ['an infinite timeout', { restartTimeoutMs: Infinity }, '`restartTimeoutMs` is Infinity'],
  ])('reject %s', (_, wrong, problem) => {
    expect(() => placeInProcess({ ...given, ...wrong })).toThrow(problem);
  });
});
