import { untilSecondPress } from '../../../support/second-press.js';
import { CLEAN, signal } from './support/fleet-process.js';
import { get } from '../../../support/http-client.js';
import { whoAnswers } from './support/who-answers.js';
import { TestBed } from './support/test-bed.js';
import { until } from '../../../support/until.js';

const bed = new TestBed();
const plan = { app: 'web.js', http: 2, processes: [{ name: 'job', file: 'job.js', env: { STOP: 'gate' } }] };

/** A graceful shutdown logs no stack trace. */
const STACK = /^\s+at .*:\d+/m;

describe('a signal to stop', () => {
  it.each<{ name: NodeJS.Signals; to: 'the primary' | 'the group' }>([
    { name: 'SIGTERM', to: 'the primary' },
    { name: 'SIGINT', to: 'the primary' },
    { name: 'SIGINT', to: 'the group' },
    { name: 'SIGTERM', to: 'the group' },
  ])('$name to $to: finishes in-flight work and ends all processes, exit code 0', async ({ name, to }) => {
    const fleet = await bed.up(plan);
    const answer = get(await fleet.port(), '/gate');
    const request = await bed.at('request');
    await (to === 'the group' ? fleet.killGroup(name) : fleet.kill(name));
    const step = await bed.at('stop');
    await fleet.count(/^\[web#\d\] stopping: /, 2);
    await fleet.line(/^\[web#\d\] all requests answered/);
    await until('the end of the idle worker', () => fleet.processes().length === 3);
    request.open();
    expect(await answer).toEqual({ status: 200, body: String(request.pid) });
    await until('the end of both workers', () => fleet.processes().length === 2);
    step.open();

    expect(await fleet.end()).toEqual(CLEAN);
    expect(fleet.lines(/^\[job#1\] step done$/)).toHaveLength(1);
    expect(fleet.lines(/^\[web#\d\] all requests answered$/)).toHaveLength(2);
    expect(fleet.lines(/stopping: /)).toHaveLength(3);
    expect(fleet.output).not.toMatch(STACK);
  });

  it('makes the primary log the remaining children while it waits', async () => {
    const fleet = await bed.up(plan);
    await fleet.kill('SIGTERM');
    const step = await bed.at('stop');
    await fleet.line(/^\[primary\] .*1 of 3 children still running: job#1 \(pid \d+\)/);
    step.open();
    expect(await fleet.end()).toEqual(CLEAN);
  });

  it('lets the primary exit as soon as the last child has exited', async () => {
    const fleet = await bed.up(plan);
    await fleet.kill('SIGTERM');
    const step = await bed.at('stop');
    step.open();
    const from = performance.now();
    expect(await fleet.end()).toEqual(CLEAN);
    expect(performance.now() - from).toBeLessThan(3_000);
  });

  it('has no further effect when SIGTERM is repeated, even to the children', async () => {
    const fleet = await bed.up(plan);
    await fleet.kill('SIGTERM');
    const step = await bed.at('stop');
    await fleet.killGroup('SIGTERM');
    await fleet.line(/^\[primary\] SIGTERM again: ignored/);
    await fleet.line(/^\[job#1\] .*SIGTERM again: ignored/);
    step.open();
    expect(await fleet.end()).toEqual(CLEAN);
    expect(fleet.lines(/^\[job#1\] step done$/)).toHaveLength(1);
  });
});

it('ignores SIGHUP during the shutdown', async () => {
  const fleet = await bed.up(plan);
  await fleet.kill('SIGTERM');
  const step = await bed.at('stop');
  await fleet.killGroup('SIGHUP');
  // An answer to a later request proves that the signal has been processed.
  await fleet.status();
  step.open();
  expect(await fleet.end()).toEqual(CLEAN);
  expect(fleet.lines(/rolling restart/)).toEqual([]);
});

describe('a second Ctrl+C', () => {
  it.each<NodeJS.Signals>(['SIGINT', 'SIGTERM'])(
    'after %s ends all processes immediately with exit code 130',
    async (first) => {
      const fleet = await bed.up({
        ...plan,
        processes: [
          { name: 'job', file: 'job.js', env: { STOP: 'gate' } },
          { name: 'blocked', file: 'job.js', env: { STOP: 'gate block' } },
        ],
      });
      await fleet.killGroup(first);
      const visitors = [await bed.at('stop'), await bed.at('stop')];
      visitors.find(({ who }) => who === 'blocked#1')!.open();
      await untilSecondPress();
      const from = performance.now();
      await fleet.killGroup('SIGINT');
      expect(await fleet.endSoon()).toEqual({ code: 130, signal: null });
      expect(performance.now() - from).toBeLessThan(3_000);
      expect(fleet.output).toMatch(/\[primary\] second signal SIGINT: exiting now with code 130/);
      expect(fleet.lines(/step done/)).toEqual([]);
    },
  );
});

describe('a signal to one child', () => {
  it('is ignored if it is SIGINT or SIGHUP, and the child keeps serving', async () => {
    const fleet = await bed.up({ app: 'web.js', http: 1 });
    const port = await fleet.port();
    const [pid] = [...(await fleet.pids()).values()] as [number];
    const answer = get(port, '/gate');
    const request = await bed.at('request');
    for (const name of ['SIGINT', 'SIGHUP', 'SIGINT'] as const) signal(pid, name);
    expect(await get(port)).toEqual({ status: 200, body: String(pid) });
    request.open();
    expect((await answer).status).toBe(200);
    await fleet.kill('SIGTERM');
    expect(await fleet.end()).toEqual(CLEAN);
    expect(fleet.lines(/restarting it/)).toEqual([]);
  });

  it('lets the child finish its current work and replaces it if it is SIGTERM', async () => {
    const fleet = await bed.up({ app: 'web.js', http: 2 });
    const port = await fleet.port();
    const answer = get(port, '/gate');
    const request = await bed.at('request');
    signal(request.pid, 'SIGTERM');
    await fleet.line(/stopping: process-terminate \(SIGTERM\)/);
    const others = await whoAnswers(port, 1);
    expect(others.has(request.pid)).toBe(false);
    request.open();
    expect(await answer).toEqual({ status: 200, body: String(request.pid) });
    await fleet.line(/^\[primary\] web#\d \(pid \d+\) ended with exit code 0 after .*: restarting it in /);
    await fleet.count(/listening on/, 3);
    const now = await whoAnswers(port, 2);
    expect(now.size).toBe(2);
    expect(now.has(request.pid)).toBe(false);
    expect(await fleet.zombies()).toEqual([]);
    await fleet.kill('SIGTERM');
    expect(await fleet.end()).toEqual(CLEAN);
  });
});
