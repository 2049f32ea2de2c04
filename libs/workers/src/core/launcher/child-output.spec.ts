import { PassThrough } from 'node:stream';
import { ManualClock } from '@roost/time/testing';
import { outcomeOf } from '../workers.fixture.js';
import { ChildOutput } from './child-output.js';

const { jest } = import.meta;

const setup = () => {
  const clock = new ManualClock();
  const streams = { stdout: new PassThrough(), stderr: new PassThrough() };
  const printed: string[] = [];
  for (const name of ['stdout', 'stderr'] as const) {
    jest.spyOn(process[name], 'write').mockImplementation((text, done?: unknown) => {
      printed.push(`${name}: ${String(text)}`);
      (done as () => void)();
      return true;
    });
  }
  /** From now on stdout accepts a chunk only when the returned function is called. */
  const slowDown = () => {
    let taken: (() => void) | undefined;
    jest.spyOn(process.stdout, 'write').mockImplementation((_text, done?: unknown) => {
      taken = done as () => void;
      return false;
    });
    return () => taken!();
  };
  return { clock, streams, printed, slowDown, output: new ChildOutput('web#1', streams, clock) };
};

afterEach(() => {
  jest.restoreAllMocks();
});

describe('ChildOutput', () => {
  it('passes both streams on separately, and remembers the errors', async () => {
    const { streams, printed, output } = setup();

    streams.stdout.end('hello\n');
    streams.stderr.end('oops\n');
    await output.whenPassedOn();

    expect(printed.sort()).toEqual(['stderr: [web#1] oops\n', 'stdout: [web#1] hello\n']);
    expect(output.lastErrors).toBe('oops');
  });

  it('does not wait for another process that keeps a stream open', async () => {
    const { clock, streams, output } = setup();
    streams.stdout.end();
    const passedOn = outcomeOf(output.whenPassedOn());

    await clock.advanceAsync(199);
    expect(passedOn.status).toBe('pending');
    await clock.advanceAsync(1);
    expect(passedOn.status).toBe('resolved');
    streams.stderr.end();
  });

  it('waits while output arrives, up to a limit', async () => {
    const { clock, streams, output } = setup();
    streams.stderr.end();
    const passedOn = outcomeOf(output.whenPassedOn());

    for (let waitedMs = 0; waitedMs < 10_000; waitedMs += 100) {
      expect(passedOn.status).toBe('pending');
      streams.stdout.write('still here\n');
      await clock.advanceAsync(100);
    }

    expect(passedOn.status).toBe('resolved');
    streams.stdout.end();
  });

  it('waits longer for a slow reader, as long as it makes progress', async () => {
    const { clock, streams, output, slowDown } = setup();
    const take = slowDown();
    streams.stderr.end();
    streams.stdout.write('one\n');
    const passedOn = outcomeOf(output.whenPassedOn());

    for (const next of ['two\n', 'three\n', 'four\n']) {
      await clock.advanceAsync(900);
      expect(passedOn.status).toBe('pending');
      streams.stdout.write(next);
      take();
    }
    streams.stdout.end();
    await clock.advanceAsync(0);

    expect([passedOn.status, clock.pendingTimers]).toEqual(['resolved', 0]);
  });

  it('stops waiting for a reader without progress for a second', async () => {
    const { clock, streams, output, slowDown } = setup();
    slowDown();
    streams.stdout.write('one\n');
    await clock.advanceAsync(0);
    const passedOn = outcomeOf(output.whenPassedOn());

    await clock.advanceAsync(999);
    expect(passedOn.status).toBe('pending');
    await clock.advanceAsync(1);
    expect(passedOn.status).toBe('resolved');
    for (const stream of Object.values(streams)) stream.destroy();
  });

  it('does not wait when the child prints directly', async () => {
    const clock = new ManualClock();
    const output = new ChildOutput('web#1', {}, clock);

    await output.whenPassedOn();

    expect([output.lastErrors, clock.pendingTimers]).toEqual([undefined, 0]);
  });
});
