import { deferred } from '@roost/kernel';
import { ManualClock } from '@roost/time/testing';
import { HookTracker } from './hook-tracker.js';

const { jest } = import.meta;

type Hooks = Partial<
  Record<'onModuleDestroy' | 'beforeApplicationShutdown' | 'onApplicationShutdown', (signal?: string) => unknown>
>;

const setup = (instance: Hooks, className = 'Database') => {
  const clock = new ManualClock();
  const tracker = new HookTracker(clock);
  tracker.watch(instance, className);
  return { clock, tracker };
};

describe('HookTracker', () => {
  it('passes through `this`, arguments and result', () => {
    class Database {
      id = 'db';
      onApplicationShutdown(signal: string): string {
        return `${this.id} ${signal}`;
      }
    }
    const database = new Database();
    setup(database as Hooks);

    expect(database.onApplicationShutdown('SIGTERM')).toBe('db SIGTERM');
  });

  it('reports each of the three hooks with its duration, and does not change other methods', async () => {
    const close = (): undefined => undefined;
    const database = {
      onModuleDestroy: () => undefined,
      beforeApplicationShutdown: async () => clock.advance(40),
      onApplicationShutdown: () => undefined,
      close,
    };
    const { clock, tracker } = setup(database);

    database.onModuleDestroy();
    await database.beforeApplicationShutdown();
    database.onApplicationShutdown();

    expect(tracker.reports(false)).toEqual([
      { name: 'Database.onModuleDestroy', status: 'completed', durationMs: 0 },
      { name: 'Database.beforeApplicationShutdown', status: 'completed', durationMs: 40 },
      { name: 'Database.onApplicationShutdown', status: 'completed', durationMs: 0 },
    ]);
    expect(tracker.pending()).toEqual([]);
    expect(database.close).toBe(close);
  });

  it('names pending hooks, and reports them as timed out only if they are cut off', async () => {
    const { promise, resolve: release } = deferred();
    const database = { onModuleDestroy: () => promise };
    const { clock, tracker } = setup(database);
    void database.onModuleDestroy();
    clock.advance(1_500);

    expect(tracker.pending()).toEqual(['Database.onModuleDestroy (1.5 s)']);
    expect(tracker.reports(false)).toEqual([]);
    expect(tracker.reports(true)).toEqual([
      {
        name: 'Database.onModuleDestroy',
        status: 'timed-out',
        durationMs: 1_500,
        error: {
          code: 'SHUTDOWN_HOOK_TIMEOUT',
          message: expect.stringContaining('Database.onModuleDestroy') as string,
        },
      },
    ]);

    release();
    await new Promise(setImmediate);
    expect(tracker.pending()).toEqual([]);
    expect(tracker.reports(true)).toEqual([expect.objectContaining({ status: 'completed', durationMs: 1_500 })]);
  });

  it('distinguishes two instances of one class while both are pending', () => {
    const forever = new Promise(() => undefined);
    const [a, b] = [{ onModuleDestroy: () => forever }, { onModuleDestroy: () => forever }];
    const { tracker } = setup(a);
    tracker.watch(b, 'Database');
    void a.onModuleDestroy();
    void b.onModuleDestroy();

    expect(tracker.pending()).toEqual(['Database.onModuleDestroy (0 ms)', 'Database.onModuleDestroy#2 (0 ms)']);
  });

  it('reports a hook that throws or rejects as failed and forwards the error', async () => {
    const error = Object.assign(new Error('no'), { code: 'E_NO' });
    const database = {
      onModuleDestroy: () => {
        throw error;
      },
      beforeApplicationShutdown: () => Promise.reject(error),
    };
    const { tracker } = setup(database);

    expect(() => database.onModuleDestroy() as unknown).toThrow(error);
    await expect(database.beforeApplicationShutdown()).rejects.toBe(error);

    expect(tracker.reports(false)).toEqual(
      ['onModuleDestroy', 'beforeApplicationShutdown'].map((hook) => ({
        name: `Database.${hook}`,
        status: 'failed',
        durationMs: 0,
        error: { code: 'E_NO', message: 'no' },
      })),
    );
  });

  it('waits for a thenable that is not a promise, and starts it once', async () => {
    const then = jest.fn((_resolve: () => void, reject: (error: unknown) => void) => reject(new Error('no')));
    const database = { onModuleDestroy: (): unknown => ({ then }) };
    const { tracker } = setup(database);

    await expect(async () => database.onModuleDestroy()).rejects.toThrow('no');

    expect(then).toHaveBeenCalledTimes(1);
    expect(tracker.reports(false)).toEqual([expect.objectContaining({ status: 'failed' })]);
  });

  it('reports a call once even if the instance is watched twice', () => {
    const database = { onModuleDestroy: () => undefined };
    const { tracker } = setup(database);
    tracker.watch(database, 'Database');

    database.onModuleDestroy();

    expect(tracker.reports(false)).toHaveLength(1);
  });

  it('does not change a frozen instance', () => {
    const onModuleDestroy = () => 'closed';
    const database = Object.freeze({ onModuleDestroy });
    const { tracker } = setup(database);

    expect(database.onModuleDestroy()).toBe('closed');
    expect(tracker.reports(false)).toEqual([]);
  });

  it('ignores an instance that cannot be read', () => {
    const moody = new Proxy(
      {},
      {
        get: () => {
          throw new Error('do not touch me');
        },
      },
    );

    expect(() => setup(moody)).not.toThrow();
  });
});
