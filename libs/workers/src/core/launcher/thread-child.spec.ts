import { fileURLToPath } from 'node:url';
import { deferred } from '@roost/kernel';
import { ManualClock } from '@roost/time/testing';
import { outcomeOf } from '../workers.fixture.js';
import type { ChildEnd } from './child-handle.js';
import { specOf } from './child-slots.fixture.js';
import type { ThreadSpec } from './child-options.js';
import { ThreadChild } from './thread-child.js';

const { jest } = import.meta;

/**
 * The sources contain no thread-main.js for Node to run, so every thread fails as soon as it boots. Threads that come
 * up are tested end to end.
 */
const start = (part: Partial<ThreadSpec> = {}) => {
  const clock = new ManualClock();
  const ready = jest.fn();
  const ended = deferred<ChildEnd>();
  const spec = specOf({ kind: 'thread', file: fileURLToPath(import.meta.url), ...part }) as ThreadSpec;
  const child = new ThreadChild(spec, 2, { onReady: ready, onEnded: ended.resolve }, { clock, prefixLogs: true });
  return { clock, child, ready, whenEnded: ended.promise };
};

describe('ThreadChild', () => {
  it('reports how a thread that failed at boot ended, with the error', async () => {
    const { child, ready, whenEnded } = start();
    expect(child.title).toBe(`thread ${child.threadId}`);

    const { code, signal, lastOutput } = await whenEnded;

    expect([code, signal]).toEqual([1, null]);
    expect(lastOutput).toMatch(/Cannot find module .*thread-main\.js/);
    expect(ready).not.toHaveBeenCalled();
  });

  it('ends a killed thread', async () => {
    const { child, whenEnded } = start();

    child.kill();

    expect(await whenEnded).toMatchObject({ signal: null });
  });

  it('does nothing to a thread that has ended', async () => {
    const { clock, child, whenEnded } = start();
    await whenEnded;

    child.stop('stop');
    child.stop('replaced');
    child.kill();
    const report = outcomeOf(child.report(250));
    await clock.advanceAsync(250);

    expect(report).toEqual({ status: 'resolved', value: undefined });
  });

  it('starts a thread even if the primary has options for the whole process', async () => {
    const execArgv = jest.replaceProperty(process, 'execArgv', ['--max-old-space-size=512', '--no-warnings']);
    const { whenEnded } = start();
    execArgv.restore();

    expect((await whenEnded).lastOutput).toMatch('thread-main.js');
  });
});
