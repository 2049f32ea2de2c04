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
 * In the sources there is no thread-main.js that Node could run, so every thread fails as soon as it boots: that is the case
 * here. Threads that come up are tested from outside.
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
  it('tells how one that fails at boot has ended, with the error', async () => {
    const { child, ready, whenEnded } = start();
    expect(child.title).toBe(`thread ${child.threadId}`);

    const { code, signal, lastOutput } = await whenEnded;

    expect([code, signal]).toEqual([1, null]);
    expect(lastOutput).toMatch(/Cannot find module .*thread-main\.js/);
    expect(ready).not.toHaveBeenCalled();
  });

  it('ends one that is killed', async () => {
    const { child, whenEnded } = start();

    child.kill();

    expect(await whenEnded).toMatchObject({ signal: null });
  });

  it('does nothing to one that has ended', async () => {
    const { clock, child, whenEnded } = start();
    await whenEnded;

    child.stop('stop');
    child.stop('replaced');
    child.kill();
    const report = outcomeOf(child.report(250));
    await clock.advanceAsync(250);

    expect(report).toEqual({ status: 'resolved', value: undefined });
  });

  it('starts one although the primary has options that are for the whole process', async () => {
    const execArgv = jest.replaceProperty(process, 'execArgv', ['--max-old-space-size=512', '--no-warnings']);
    const { whenEnded } = start();
    execArgv.restore();

    expect((await whenEnded).lastOutput).toMatch('thread-main.js');
  });
});
