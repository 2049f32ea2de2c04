import fc from 'fast-check';
import { DuplicateTaskError } from './errors/duplicate-task.error.js';
import { InvalidNameError } from './errors/invalid-name.error.js';
import { InvalidShutdownOptionError } from './errors/invalid-shutdown-option.error.js';
import { InvalidTaskError } from './errors/invalid-task.error.js';
import type { TaskOptions } from './task.js';
import { TaskRegistry } from './task-registry.js';

const run = () => undefined;
const namesIn = (registry: TaskRegistry, phase: string) => registry.of(phase).map((task) => task.name);

describe('TaskRegistry', () => {
  it('keeps the tasks of each phase in registration order', () => {
    const registry = new TaskRegistry();
    registry.add('p', 'z', run);
    registry.add('q', 'other', run);
    registry.add('p', 'a', run, { timeoutMs: 5, declaredBy: 'Orders.close' });

    expect(registry.of('p')).toEqual([
      { name: 'z', phase: 'p', run, timeoutMs: undefined, declaredBy: 'addTask()' },
      { name: 'a', phase: 'p', run, timeoutMs: 5, declaredBy: 'Orders.close' },
    ]);
    expect([registry.has('p'), registry.has('r'), registry.of('r')]).toEqual([true, false, []]);
  });

  it('refuses a second task with the same name in a phase and names both declarers', () => {
    const registry = new TaskRegistry();
    registry.add('p', 'close', run, { declaredBy: 'Orders.close' });
    registry.add('q', 'close', run);
    const again = () => registry.add('p', 'close', run, { declaredBy: 'Billing.close' });

    expect(again).toThrow(DuplicateTaskError);
    expect(again).toThrow(/Billing\.close declares .* "close" in phase "p", but Orders\.close already declares it/);
    expect(again).toThrow(expect.objectContaining({ code: 'SHUTDOWN_DUPLICATE_TASK', task: 'close', phase: 'p' }));
    expect(namesIn(registry, 'p')).toEqual(['close']);
  });

  it.each(['', ' \t', undefined, 5, 7n, Symbol('s'), { a: 1 }])('refuses %p as a name', (name) => {
    const registry = new TaskRegistry();

    expect(() => registry.add('p', name as string, run)).toThrow(InvalidNameError);
    expect(() => registry.add('p', name as string, run)).toThrow(
      expect.objectContaining({ code: 'SHUTDOWN_INVALID_NAME', kind: 'task', value: name }),
    );
  });

  it.each([undefined, 'close', {}])('refuses %p as a task', (task) => {
    const add = () => new TaskRegistry().add('p', 't', task as () => void);

    expect(add).toThrow(InvalidTaskError);
    expect(add).toThrow(expect.objectContaining({ code: 'SHUTDOWN_INVALID_TASK', task: 't', phase: 'p' }));
  });

  it.each([0, -5, NaN, Infinity, 2 ** 31])('refuses a timeout of %p and names the task', (timeoutMs) => {
    expect(() => new TaskRegistry().add('p', 't', run, { timeoutMs, declaredBy: 'X.y' })).toThrow(
      expect.objectContaining({ code: 'SHUTDOWN_INVALID_TIMEOUT', option: 'timeoutMs of task "t" (X.y)' }),
    );
  });

  it('refuses misspelled options and non-object options', () => {
    const registry = new TaskRegistry();

    expect(() => registry.add('p', 't', run, { timeout: 5 } as TaskOptions)).toThrow('task "t".timeout');
    expect(() => registry.add('p', 't', run, null as unknown as TaskOptions)).toThrow(InvalidShutdownOptionError);
    expect(registry.has('p')).toBe(false);
  });

  it('cancels a task once, and does not affect a later task with the same name', () => {
    const registry = new TaskRegistry();
    const first = registry.add('p', 't', run);

    expect(first).toMatchObject({ name: 't', phase: 'p' });
    expect(first.cancel()).toBe(true);
    const second = registry.add('p', 't', run);
    expect(first.cancel()).toBe(false);
    expect(namesIn(registry, 'p')).toEqual(['t']);
    expect(second.cancel()).toBe(true);
    expect(registry.has('p')).toBe(false);
  });

  it('returns tasks once, after which they cannot be cancelled', () => {
    const registry = new TaskRegistry();
    const handle = registry.add('p', 't', run);

    expect(registry.take('p').map((task) => task.name)).toEqual(['t']);
    expect(handle.cancel()).toBe(false);
    expect(registry.take('p')).toEqual([]);
  });

  it('remembers cancelled tasks only after the shutdown has started', () => {
    const registry = new TaskRegistry();
    registry.add('p', 'before', run).cancel();
    registry.keepCancelled();
    registry.add('p', 'b', run).cancel();
    registry.add('p', 'a', run).cancel();

    expect([registry.cancelledIn('p'), registry.cancelledIn('q')]).toEqual([['b', 'a'], []]);
  });

  it('agrees with a list for any sequence of add, cancel and take', () => {
    const step = fc.oneof(
      fc.record({
        do: fc.constant('add' as const),
        phase: fc.constantFrom('p', 'q'),
        name: fc.constantFrom('a', 'b', 'c'),
      }),
      fc.record({ do: fc.constant('cancel' as const), which: fc.nat(20) }),
      fc.record({ do: fc.constant('take' as const), phase: fc.constantFrom('p', 'q') }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const registry = new TaskRegistry();
        let model: { id: number; phase: string; name: string }[] = [];
        const handles: { id: number; cancel: () => boolean }[] = [];
        for (const one of steps) {
          if (one.do === 'add') {
            if (model.some((task) => task.phase === one.phase && task.name === one.name)) {
              expect(() => registry.add(one.phase, one.name, run)).toThrow(DuplicateTaskError);
            } else {
              const id = handles.length;
              handles.push({ id, cancel: registry.add(one.phase, one.name, run).cancel });
              model.push({ id, phase: one.phase, name: one.name });
            }
          } else if (one.do === 'cancel') {
            const handle = handles[one.which];
            if (!handle) continue;
            expect(handle.cancel()).toBe(model.some((task) => task.id === handle.id));
            model = model.filter((task) => task.id !== handle.id);
          } else {
            const taken = model.filter((task) => task.phase === one.phase).map((task) => task.name);
            expect(registry.take(one.phase).map((task) => task.name)).toEqual(taken);
            model = model.filter((task) => task.phase !== one.phase);
          }
          for (const phase of ['p', 'q']) {
            const expected = model.filter((task) => task.phase === phase).map((task) => task.name);
            expect(namesIn(registry, phase)).toEqual(expected);
            expect(registry.has(phase)).toBe(expected.length > 0);
          }
        }
      }),
    );
  });
});
