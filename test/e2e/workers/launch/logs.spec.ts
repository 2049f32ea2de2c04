import { neverRestart } from '@roost/workers/core';
import { CLEAN } from './support/fleet-process.js';
import { TestBed } from './support/test-bed.js';

const bed = new TestBed();
/** Lines as printed by `burst`. */
const LINES = 10_000;
const BURST = /^\[(\w+#\d)\] (\d+) x{99}$/;

/** The line numbers by child, in the order of the output. */
const numbersBy = (lines: readonly string[]): Map<string, number[]> => {
  const numbers = new Map<string, number[]>();
  for (const line of lines) {
    const [, name = '', number] = BURST.exec(line)!;
    numbers.set(name, [...(numbers.get(name) ?? []), Number(number)]);
  }
  return numbers;
};
const inOrder = Array.from({ length: LINES }, (_, n) => n);

describe('output of children', () => {
  it('has the name of the child before each line, and keeps lines intact when many children print', async () => {
    const processes = [{ name: 'job', file: 'job.js', count: 2, env: { RUN: 'burst' } }];
    const threads = [{ name: 'thread', file: 'job.js', env: { RUN: 'burst' } }];
    const fleet = await bed.up({ processes, threads });
    await fleet.count(/x{99}/, 3 * LINES);
    await fleet.kill('SIGTERM');
    expect(await fleet.end()).toEqual(CLEAN);
    const lines = fleet.lines(/x/).filter((line) => line.includes('xxx'));
    expect(lines.filter((line) => !BURST.test(line))).toEqual([]);
    expect(numbersBy(lines)).toEqual(
      new Map(['job#1', 'job#2', 'thread#1'].map((name) => [name, inOrder]).sort() as [string, number[]][]),
    );
    expect(fleet.lines(/./).filter((line) => !/^(\[|started |all up$| {2}\w)/.test(line))).toEqual([]);
  });

  it.each(['processes', 'threads'] as const)(
    'is complete after they exit (%s), even for 1 MB and more',
    async (kind) => {
      const fleet = await bed.up({ [kind]: [{ name: 'job', file: 'job.js', env: { STOP: 'burst' } }] });
      await fleet.kill('SIGTERM');
      expect(await fleet.end()).toEqual(CLEAN);
      expect(numbersBy(fleet.lines(BURST)).get('job#1')).toEqual(inOrder);
      expect(fleet.lines(/^\[job#1\] step done$/)).toHaveLength(1);
    },
  );

  it('is complete for a slow reader', async () => {
    const fleet = await bed.up({ processes: [{ name: 'job', file: 'job.js', env: { STOP: 'burst' } }] });
    fleet.app.readSlowly(60);
    await fleet.kill('SIGTERM');
    expect(await fleet.app.end()).toEqual(CLEAN);
    expect(numbersBy(fleet.lines(BURST)).get('job#1')).toEqual(inOrder);
    expect(fleet.lines(/^\[job#1\] step done$/)).toHaveLength(1);
  });

  it('is not lost without a final newline', async () => {
    const env = { RUN: 'gate lastWords exit0' };
    const fleet = await bed.up({ processes: [{ name: 'job', file: 'job.js', env, restart: neverRestart() }] });
    (await bed.at('run')).open();
    expect(await fleet.end()).toEqual(CLEAN);
    expect(fleet.lines(/^\[job#1\] no newline at the end$/)).toHaveLength(1);
  });

  it('is unchanged with prefixLogs: false', async () => {
    const fleet = await bed.up({
      prefixLogs: false,
      app: 'web.js',
      http: 1,
      processes: [{ name: 'job', file: 'job.js' }],
      threads: [{ name: 'thread', file: 'job.js' }],
    });
    await fleet.kill('SIGTERM');
    expect(await fleet.end()).toEqual(CLEAN);
    expect(fleet.lines(/^booting$/)).toHaveLength(3);
    expect(fleet.lines(/^step done$/)).toHaveLength(2);
    expect(fleet.lines(/^all requests answered$/)).toHaveLength(1);
    expect(fleet.lines(/^\[(web|job|thread)#/)).toEqual([]);
  });

  it('needs no reader: the children continue and shut down gracefully', async () => {
    const fleet = await bed.up({
      app: 'web.js',
      http: 1,
      processes: [{ name: 'job', file: 'job.js', env: { RUN: 'gate burst gate', STOP: 'gate' } }],
    });
    fleet.app.closeOutput();
    (await bed.at('run')).open();
    await bed.at('run');
    expect(fleet.processes()).toHaveLength(3);
    await fleet.kill('SIGTERM');
    (await bed.at('stop')).open();
    expect(await fleet.end()).toEqual(CLEAN);
  });
});

it('logs one line for each action of the primary', async () => {
  const fleet = await bed.up({ app: 'web.js', http: 2, processes: [{ name: 'job', file: 'job.js' }] });
  await fleet.kill('SIGTERM');
  expect(await fleet.end()).toEqual(CLEAN);
  const said = fleet.lines(/^\[primary\]/).map((line) => line.replace(/\d+(\.\d+)? m?s\b/g, '<time>'));
  expect(said.filter((line) => !/\) is up after/.test(line))).toEqual([
    expect.stringMatching(/^\[primary\] pid \d+: starting 3 children: 2 x web, job$/),
    '[primary] all children are up after <time>',
    '[primary] shutdown started: process-terminate (SIGTERM), at most <time>',
    '[primary] phase service-requests-done completed in <time>, 1 task',
    '[primary] shutdown completed in <time>: process-terminate (SIGTERM), exit code 0',
  ]);
  expect(
    said.filter((line) => /^\[primary\] (web#[12]|job#1) \(pid \d+\) is up after <time>$/.test(line)),
  ).toHaveLength(3);
});
