import { fileURLToPath } from 'node:url';
import { deferred } from '@roost/kernel';
import { ManualClock } from '@roost/time/testing';
import { outcomeOf } from '../workers.fixture.js';
import type { ChildEnd } from './child-handle.js';
import { specOf } from './child-slots.fixture.js';
import type { ProcessSpec } from './child-options.js';
import { ProcessChild } from './process-child.js';

const { jest } = import.meta;

/**
 * The sources contain no preload.js for Node to load, so every child fails as soon as it boots. Children that come up
 * are tested end to end.
 */
const start = (part: Partial<ProcessSpec> = {}) => {
  const clock = new ManualClock();
  const ready = jest.fn();
  const ended = deferred<ChildEnd>();
  const spec = specOf({ file: fileURLToPath(import.meta.url), ...part }) as ProcessSpec;
  const child = new ProcessChild(spec, 2, { onReady: ready, onEnded: ended.resolve }, { clock, prefixLogs: true });
  return { clock, child, ready, whenEnded: ended.promise };
};

let printed: string[];

beforeEach(() => {
  printed = [];
  jest.spyOn(process.stderr, 'write').mockImplementation((text, done?: unknown) => {
    printed.push(String(text));
    (done as () => void)();
    return true;
  });
});

afterEach(() => {
  jest.restoreAllMocks();
});

describe.each(['process', 'http'] as const)('ProcessChild of kind %s', (kind) => {
  it('reports how a child that failed at boot ended, with its last output', async () => {
    const { child, ready, whenEnded } = start({ kind });
    expect(child.title).toBe(`pid ${child.pid}`);

    const { code, signal, lastOutput } = await whenEnded;

    expect([code, signal]).toEqual([1, null]);
    expect(lastOutput).toMatch(/Cannot find module .*preload\.js/);
    expect(printed.join('')).toMatch(/^\[web#2\] /);
    expect(ready).not.toHaveBeenCalled();
  });

  it('reports that a child was killed', async () => {
    const { child, whenEnded } = start({ kind });

    child.kill();

    expect(await whenEnded).toMatchObject({ code: null, signal: 'SIGKILL' });
  });

  it('does nothing to a child that has exited', async () => {
    const { clock, child, whenEnded } = start({ kind });
    await whenEnded;

    child.stop('stop');
    child.kill();
    const report = outcomeOf(child.report(250));
    await clock.advanceAsync(250);

    expect(report).toEqual({ status: 'resolved', value: undefined });
  });
});

describe('ProcessChild', () => {
  it('throws when no process can be created', () => {
    expect(() => start({ env: { TOO_LONG: 'x'.repeat(1_000_000) } })).toThrow('E2BIG');
  });
});
