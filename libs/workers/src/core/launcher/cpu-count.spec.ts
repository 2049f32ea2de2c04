import { availableParallelism } from 'node:os';
import { cpuCount } from './cpu-count.js';

const V2 = '/sys/fs/cgroup/cpu.max';
const QUOTA = '/sys/fs/cgroup/cpu/cpu.cfs_quota_us';
const PERIOD = '/sys/fs/cgroup/cpu/cpu.cfs_period_us';

describe('cpuCount', () => {
  it.each<[what: string, files: Record<string, string>, count: number]>([
    ['no limits at all', {}, 8],
    ['a container without a limit', { [V2]: 'max 100000' }, 8],
    ['two and a half cores, rounded up', { [V2]: '250000 100000' }, 3],
    ['a tenth of a core', { [V2]: '10000 100000' }, 1],
    ['a limit above the machine', { [V2]: '6400000 100000' }, 8],
    ['a cgroup v1 limit', { [QUOTA]: '400000', [PERIOD]: '100000' }, 4],
    ['no cgroup v1 limit', { [QUOTA]: '-1', [PERIOD]: '100000' }, 8],
    ['the smaller of both', { [V2]: '300000 100000', [QUOTA]: '200000', [PERIOD]: '100000' }, 2],
    ['an empty file', { [V2]: '' }, 8],
    ['nonsense', { [V2]: 'a b c', [QUOTA]: '1', [PERIOD]: '0' }, 8],
  ])('returns the number of usable cores out of eight with %s', (_what, files, count) => {
    expect(cpuCount((path) => files[path] ?? '', 8)).toBe(count);
  });

  it('is between one and the number of cores of this machine', () => {
    const count = cpuCount();

    expect(count).toBeGreaterThanOrEqual(1);
    expect(count).toBeLessThanOrEqual(availableParallelism());
  });
});
