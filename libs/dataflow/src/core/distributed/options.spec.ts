import { DEFAULT_PROCESS_OPTIONS, placeInProcess, type ProcessOptions } from '../index.js';
import { MemoryNetwork } from '../testing/memory-network.js';
import { resolveProcessOptions } from './options.js';

const given: ProcessOptions = {
  graph: () => undefined,
  placement: { processes: { left: ['a'], right: ['b'] } },
  process: 'left',
  transport: new MemoryNetwork(),
};

describe('the options of a process', () => {
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

  it('name a process of the placement, or that of the coordinator', () => {
    for (const process of ['left', 'right', 'coordinator'])
      expect(resolveProcessOptions({ ...given, process }).process).toBe(process);
    expect(() => placeInProcess({ ...given, process: 'middle' })).toThrow(
      "`process` is 'middle', but must be the name of a process in the placement: left, right, coordinator",
    );
    const placement = { ...given.placement, coordinator: 'left' };
    expect(() => placeInProcess({ ...given, placement, process: 'coordinator' })).toThrow('a process in the placement');
  });

  it.each<[string, Partial<ProcessOptions>, string]>([
    ['no placement', { placement: undefined }, '`placement` is undefined'],
    ['no processes', { placement: {} as never }, '`placement` is'],
    ['no transport', { transport: {} as never }, 'tcp() or nats()'],
    ['a short time to crash', { heartbeatMs: 2_000, crashAfterMs: 5_999 }, 'at least three times heartbeatMs'],
    ['no room', { window: 0 }, '`window` is 0'],
    ['room for half a message', { window: 1.5 }, '`window` is 1.5'],
    ['a negative time', { joinTimeoutMs: -1 }, '`joinTimeoutMs` is -1'],
    ['no number', { agreeTimeoutMs: '5' as never }, "`agreeTimeoutMs` is '5'"],
    ['an endless time', { restartTimeoutMs: Infinity }, '`restartTimeoutMs` is Infinity'],
  ])('with %s are refused', (_, wrong, problem) => {
    expect(() => placeInProcess({ ...given, ...wrong })).toThrow(problem);
  });
});
