import { afterLastHook } from './last-hook.js';

const { jest } = import.meta;

type Modules = Parameters<typeof afterLastHook>[0];

const setup = (instances: Record<string, object>) => {
  // Distances as in Nest: 0 for the root, large for global modules.
  const distances: Record<string, number> = { root: 0, feature: 1, global: Number.MAX_VALUE };
  const modules = Object.entries(instances).map(([name, instance]) => ({ distance: distances[name], instance }));
  return modules as unknown as Modules;
};

describe('afterLastHook', () => {
  it.each([
    ['onApplicationBootstrap', 'root'],
    ['onApplicationShutdown', 'global'],
  ] as const)('calls back after %s of the %s module', async (hook, last) => {
    const callback = jest.fn();
    const instances = { feature: {}, global: {}, root: {} } as Record<
      string,
      Partial<Record<typeof hook, () => Promise<void>>>
    >;
    afterLastHook(setup(instances), hook, callback);

    expect(Object.keys(instances).filter((name) => instances[name]![hook])).toEqual([last]);
    expect(callback).not.toHaveBeenCalled();
    await instances[last]![hook]!();
    expect(callback.mock.calls).toEqual([[false]]);
  });

  it('runs the existing hook first, and reports its failure in the callback', async () => {
    const callback = jest.fn();
    const seen: unknown[] = [];
    const root = {
      async onApplicationShutdown(signal?: string): Promise<void> {
        seen.push(this, signal, callback.mock.calls.length);
        throw new Error('no');
      },
    };
    afterLastHook(setup({ root }), 'onApplicationShutdown', callback);

    await expect(root.onApplicationShutdown('SIGTERM')).rejects.toThrow('no');

    expect(seen).toEqual([root, 'SIGTERM', 0]);
    expect(callback.mock.calls).toEqual([[true]]);
  });

  it('calls back at once if the module is frozen', () => {
    const callback = jest.fn();

    afterLastHook(setup({ root: Object.freeze({}) }), 'onApplicationBootstrap', callback);

    expect(callback).toHaveBeenCalledTimes(1);
  });
});
