import { restartBackoff, neverRestart } from '@roost/workers/core';
import { untilSecondPress } from '../../../support/second-press.js';
import { CLEAN, FAILED } from './support/fleet-process.js';
import { TestBed } from './support/test-bed.js';
import { until } from '../../../support/until.js';

const bed = new TestBed();

describe('threads of a launcher', () => {
  it.each<{ name: NodeJS.Signals; to: 'primary' | 'group' }>([
    { name: 'SIGTERM', to: 'primary' },
    { name: 'SIGINT', to: 'group' },
  ])('$name to the $to: each runs its own shutdown, exit code 0 after the last', async ({ name, to }) => {
    const fleet = await bed.up({
      threads: [{ name: 'calc', file: 'job.js', count: 3, env: { STOP: 'gate' } }],
      processes: [{ name: 'job', file: 'job.js' }],
    });
    expect(fleet.processes()).toHaveLength(2);
    await (to === 'group' ? fleet.killGroup(name) : fleet.kill(name));
    const steps = [await bed.at('stop'), await bed.at('stop'), await bed.at('stop')];
    expect(steps.map(({ who }) => who).sort()).toEqual(['calc#1', 'calc#2', 'calc#3']);
    expect(new Set(steps.map(({ pid }) => pid))).toEqual(new Set([await fleet.pid()]));
    for (const step of steps) step.open();
    expect(await fleet.end()).toEqual(CLEAN);
    expect(fleet.lines(/^\[calc#\d\] stopping: process-terminate \(SIGTERM\)$/)).toHaveLength(3);
    expect(fleet.lines(/^\[calc#\d\] step done$/)).toHaveLength(3);
    expect(fleet.lines(/^\[calc#\d\] .*shutdown completed.*exit code 0/)).toHaveLength(3);
    expect(fleet.output).not.toMatch(/^\s+at .*:\d+/m);
  });

  it.each([
    ['whose step never ends', 'never'],
    ['that is blocked', 'gate block'],
  ])(
    'terminates a thread %s at its deadline and names it with exit code 1, while the others finish',
    async (_, STOP) => {
      const fleet = await bed.up({
        threads: [
          { name: 'stuck', file: 'job.js', env: { STOP }, maxWaitMs: 100 },
          { name: 'well', file: 'job.js' },
        ],
      });
      await fleet.kill('SIGTERM');
      if (STOP === 'gate block') (await bed.at('stop')).open();
      expect(await fleet.end()).toEqual(FAILED);
      expect(fleet.output).toMatch(
        /stuck#1 \(thread \d+\) had to be killed (1[1-9]|[2-9]\d)\d\d ms after the stop request/,
      );
      expect(fleet.lines(/^\[well#1\] step done$/)).toHaveLength(1);
      expect(fleet.lines(/well#1 \(thread \d+\) had to/)).toEqual([]);
    },
  );

  it('end immediately on a second Ctrl+C, even if they are blocked', async () => {
    const fleet = await bed.up({ threads: [{ name: 'stuck', file: 'job.js', env: { STOP: 'gate block' } }] });
    await fleet.killGroup('SIGINT');
    (await bed.at('stop')).open();
    await untilSecondPress();
    await fleet.killGroup('SIGINT');
    expect(await fleet.end()).toEqual({ code: 130, signal: null });
  });

  it('exit when they are up after a signal during their boot, exit code 0', async () => {
    const fleet = bed.start({ threads: [{ name: 'calc', file: 'job.js', env: { BOOT: 'gate' } }] });
    const booting = await bed.at('boot');
    await fleet.kill('SIGTERM');
    await fleet.line(/^\[calc#1\] .*SIGTERM during boot/);
    booting.open();
    expect(await fleet.end()).toEqual(CLEAN);
    expect(fleet.lines(/ready/)).toEqual([]);
  });

  it.each([
    ['exit3', 'exit code 3'],
    ['crash', 'exit code 1'],
  ])('replaces a thread that ends with %s, and the process continues', async (how, said) => {
    const restart = restartBackoff({ when: 'always', minMs: 10, maxRestarts: 5 });
    const fleet = await bed.up({ restart, threads: [{ name: 'calc', file: 'job.js', env: { RUN: `gate ${how}` } }] });
    (await bed.at('run')).open();
    await fleet.line(new RegExp(`^\\[primary\\] calc#1 \\(thread \\d+\\) ended with ${said} .*restarting it`));
    await bed.at('run');
    expect((await fleet.status()).children).toMatchObject([{ name: 'calc#1', state: 'running', restarts: 1 }]);
    await fleet.kill('SIGTERM');
    expect(await fleet.end()).toEqual(CLEAN);
  });

  it('stops the fleet with the reason when a thread fails for good', async () => {
    const threads = [{ name: 'calc', file: 'job.js', env: { BOOT: 'fail' }, restart: neverRestart() }];
    const fleet = bed.start({ threads, processes: [{ name: 'job', file: 'job.js' }] });
    expect(await fleet.end()).toEqual(FAILED);
    expect(fleet.output).toMatch(/calc#1 failed once, most recently with exit code 1:\n.*BOOT fails on purpose/);
  });

  it('end when their work is done, and the primary exits with the last', async () => {
    const threads = [{ name: 'calc', file: 'script.js', env: { RUN: 'gate' }, restart: neverRestart() }];
    const fleet = await bed.up({ threads });
    (await bed.at('run')).open();
    expect(await fleet.end()).toEqual(CLEAN);
    expect(fleet.lines(/^\[calc#1\] script has ended$/)).toHaveLength(1);
    expect(fleet.lines(/calc#1 \(thread \d+\) ended with exit code 0 after .*: its work is done/)).toHaveLength(1);
  });

  it('are replaced one at a time by a rolling restart', async () => {
    const fleet = await bed.up({ threads: [{ name: 'calc', file: 'job.js', count: 2, env: { STOP: 'gate' } }] });
    const idsOf = async () => (await fleet.status()).children.map(({ threadId }) => threadId);
    const before = await idsOf();
    await fleet.kill('SIGHUP');
    for (const who of ['calc#1', 'calc#2']) {
      const old = await bed.at('stop');
      expect(old.who).toBe(who);
      expect((await fleet.status()).alive).toBe(3);
      old.open();
    }
    await fleet.line(/rolling restart completed/);
    const after = await idsOf();
    expect(after.filter((id) => before.includes(id))).toEqual([]);
    expect(fleet.lines(/stopping: process-replaced/)).toHaveLength(2);
    await fleet.kill('SIGTERM');
    for (let n = 0; n < 2; n++) (await bed.at('stop')).open();
    expect(await fleet.end()).toEqual(CLEAN);
  });

  it('finish the current step of a background process in a Nest context', async () => {
    const fleet = await bed.up({ threads: [{ name: 'nest', file: 'nest-thread.js', env: { RUN: 'gate' } }] });
    const turn = await bed.at('run');
    expect((await fleet.status()).children).toMatchObject([{ name: 'nest#1', inFlight: 1, responsive: true }]);
    await fleet.kill('SIGTERM');
    await fleet.line(/1 of 1 children still running: nest#1 \(thread \d+\)/);
    turn.open();
    expect(await fleet.end()).toEqual(CLEAN);
    expect(fleet.lines(/^\[nest#1\] consumer has ended$/)).toHaveLength(1);
  });

  it('handle every message in the mailboxes of an actor system', async () => {
    const fleet = await bed.up({ threads: [{ name: 'actors', file: 'actor-thread.js' }] });
    const page = await bed.at('page');
    expect((await fleet.status()).children).toMatchObject([{ name: 'actors#1', inFlight: 100 }]);
    await fleet.kill('SIGTERM');
    await until('the shutdown', () => fleet.lines(/shutdown started/).length === 2);
    page.open();
    expect(await fleet.end()).toEqual(CLEAN);
    expect(fleet.lines(/^\[actors#1\] actors ended: \w+, 0 pages left$/)).toHaveLength(1);
  });
});
