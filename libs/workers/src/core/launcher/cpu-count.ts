import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

const read = (path: string): string => {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return '';
  }
};

/**
 * Returns the number of cores that this process may use: the available cores, or the CPU limit of its container rounded
 * up.
 */
export function cpuCount(readText: (path: string) => string = read, cores = availableParallelism()): number {
  const [quota, period] = readText('/sys/fs/cgroup/cpu.max').split(' ').map(Number);
  const [oldQuota, oldPeriod] = ['cpu.cfs_quota_us', 'cpu.cfs_period_us'].map((file) =>
    Number(readText(`/sys/fs/cgroup/cpu/${file}`)),
  );
  const limits = [quota! / period!, oldQuota! / oldPeriod!].filter((limit) => Number.isFinite(limit) && limit > 0);
  return Math.max(1, Math.min(cores, ...limits.map(Math.ceil)));
}
