import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { captureEarlySignals } from '@roost/shutdown/core';
import { restartBackoff } from '../restart-policy.js';
import { outcomeOf } from '../workers.fixture.js';
import { RESTART } from './child-slots.fixture.js';
import { bootFleet, FakeProcess, FILE, startFleet, TIMEOUT_MS } from './fleet.fixture.js';
import { readStatus } from './status-socket.js';

const { jest } = import.meta;

describe('Fleet.start', () => {
  it('logs what it starts, and when all children are up', async () => {
    const { fleet, children, clock, logger } = await startFleet({
      processes: [
        { name: 'jobs', file: FILE, count: 2 },
        { name: 'mail', file: FILE },
      ],
    });
    const up = outcomeOf(fleet.whenUp);
    expect([logger.lines, fleet.alive]).toEqual([['log: pid 4711: starting 3 children: 2 x jobs, mail'], 3]);

    await clock.advanceAsync(250);
    expect(up.status).toBe('pending');
    for (const child of children.all) child.ready();
    await clock.advanceAsync(0);

    expect([up.status, logger.lines.at(-1)]).toEqual(['resolved', 'log: all children are up after 250 ms']);
  });

  it('uses the singular for a single child', async () => {
    const { logger } = await startFleet({ processes: [{ name: 'jobs', file: FILE }] });

    expect(logger.lines).toEqual(['log: pid 4711: starting 1 child: jobs']);
  });

  it('starts no child when a signal arrives first, and exits', async () => {
    const process = new FakeProcess();
    const told = jest.spyOn(console, 'error').mockImplementation(() => undefined);
    captureEarlySignals({ signals: ['SIGTERM'], process });
    process.emit('SIGTERM', 'SIGTERM');
    told.mockRestore();

    const { fleet, children, clock } = await startFleet({}, { process });
    await fleet.restart();
    await clock.advanceAsync(0);

    expect([children.all, process.exits]).toEqual([[], [0]]);
  });

  it('continues when the reader closes its output', async () => {
    const { process } = await startFleet();

    expect(() => process.stdout.emit('error', new Error('EPIPE'))).not.toThrow();
    expect(() => process.stderr.emit('error', new Error('EPIPE'))).not.toThrow();
  });
});

describe('Fleet shutdown', () => {
  it.each(['SIGTERM', 'SIGINT'])('stops the children on %s, and exits when the last one has exited', async (signal) => {
    const { children, process, settle, fleet } = await bootFleet();

    process.emit(signal, signal);
    await settle();
    expect(children.all.map(({ stops }) => stops)).toEqual([['stop'], ['stop']]);
    children.all[0]!.exit(0);
    await settle();
    expect(process.exits).toEqual([]);
    children.all[1]!.exit(0);
    await settle();

    expect([process.exits, fleet.alive]).toEqual([[0], 0]);
  });

  it('runs once, however often it is stopped', async () => {
    const { children, process, settle, fleet } = await bootFleet();

    const both = [outcomeOf(fleet.stop()), outcomeOf(fleet.stop())];
    await settle();
    for (const child of children.all) child.exit(0);
    await settle();

    expect(both.map(({ status }) => status)).toEqual(['resolved', 'resolved']);
    expect([children.all.map(({ stops }) => stops.length), process.exits]).toEqual([[1, 1], [0]]);
  });

  it('kills the living children shortly before its timeout, names them and exits with 1', async () => {
    const { children, process, clock, fleet, logger } = await bootFleet();
    void fleet.stop();
    await clock.advanceAsync(TIMEOUT_MS - 501);
    expect(children.all.map(({ kills }) => kills)).toEqual([0, 0]);

    children.all[0]!.exit(0);
    await clock.advanceAsync(1);
    expect(children.all.map(({ kills }) => kills)).toEqual([0, 1]);
    children.all[1]!.exit('SIGKILL');
    await clock.advanceAsync(0);

    expect(process.exits).toEqual([1]);
    expect(logger.lines.join('\n')).toMatch(
      'some children did not exit cleanly: jobs#2 (pid 2) had to be killed 9500 ms after the stop request',
    );
  });

  it('leaves the children most of a very short timeout', async () => {
    const { children, clock, fleet } = await bootFleet({ timeoutMs: 400 });
    void fleet.stop();
    await clock.advanceAsync(299);
    expect(children.all.map(({ kills }) => kills)).toEqual([0, 0]);

    await clock.advanceAsync(1);
    expect(children.all.map(({ kills }) => kills)).toEqual([1, 1]);
  });

  it('exits with 1 when a child exits with an error', async () => {
    const { children, process, fleet, settle, clock } = await bootFleet();
    void fleet.stop();
    await settle();

    children.all[0]!.exit(0);
    children.all[1]!.exit(3);
    await settle();

    expect([process.exits, clock.pendingTimers]).toEqual([[1], 0]);
  });

  it('still handles SIGHUP, which would kill it otherwise, but starts no child', async () => {
    const { children, process, fleet, settle, clock } = await bootFleet();
    void fleet.stop();
    await settle();

    await fleet.restart();
    expect(process.emit('SIGHUP', 'SIGHUP')).toBe(true);
    children.all[0]!.exit(1);
    await clock.advanceAsync(1_000);

    expect(children.all).toHaveLength(2);
  });

  it('names the living children when it takes long', async () => {
    const { fleet, children, clock, logger } = await bootFleet();
    void fleet.stop();
    await clock.advanceAsync(0);
    children.all[0]!.exit(0);

    await clock.advanceAsync(TIMEOUT_MS - 1_000);

    expect(logger.lines.join('\n')).toMatch('1 of 2 children still running: jobs#2 (pid 2)');
  });
});

describe('Fleet whose children exit', () => {
  it('stops the others and exits with 1 when a child has failed too often', async () => {
    const { children, process, clock, fleet, logger } = await bootFleet();
    for (let failures = 0; failures <= RESTART.maxRestarts; failures++) {
      children.alive.find(({ name }) => name === 'jobs#1')!.exit(1, 'no database');
      await clock.advanceAsync(400);
    }

    expect(logger.of('error')[0]).toBe(
      'error: jobs#1 failed 4 times in a row, most recently with exit code 1:\nno database\nGiving up and stopping the other children.',
    );
    expect(children.alive.map(({ name, stops }) => [name, stops])).toEqual([['jobs#2', ['stop']]]);
    children.alive[0]!.exit(0);
    await clock.advanceAsync(0);

    expect(String(fleet.shutdown.reason)).toBe(
      'crash-loop (jobs#1 failed 4 times in a row, most recently with exit code 1)',
    );
    expect(process.exits).toEqual([1]);
  });

  it('exits with 0 when all children have finished their work', async () => {
    const { children, process, fleet, settle } = await bootFleet({ restart: restartBackoff() });

    for (const child of children.all) child.exit(0);
    await settle();

    expect([String(fleet.shutdown.reason), process.exits]).toEqual(['fleet-done', [0]]);
  });
});

describe('Fleet.describe', () => {
  it('reports the state of the fleet', async () => {
    const { fleet, children, settle, clock } = await startFleet();
    const stateOf = async () => (await fleet.describe()).state;
    expect(await stateOf()).toBe('starting');
    for (const child of children.all) child.ready();
    await clock.advanceAsync(1_500);
    expect(await fleet.describe()).toMatchObject({ pid: 4711, state: 'running', uptimeMs: 1_500, alive: 2 });

    void fleet.restart();
    expect(await fleet.describe()).toMatchObject({ state: 'rolling', alive: 3 });
    void fleet.stop();
    expect(await stateOf()).toBe('stopping');
    await settle();
    for (const child of children.alive) child.exit(0);
    await settle();
    expect(await fleet.describe()).toMatchObject({ state: 'stopped', alive: 0 });
  });

  it('is served on the status socket until the end', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'roost-fleet-'));
    const statusSocket = join(folder, 'status.sock');
    const { fleet, children, settle } = await bootFleet({ statusSocket });

    const { children: shown, ...status } = await readStatus(statusSocket);
    expect(status).toEqual({ pid: 4711, state: 'running', uptimeMs: 0, alive: 2 });
    expect(shown.map(({ name }) => name)).toEqual(['jobs#1', 'jobs#2']);

    void fleet.stop();
    await settle();
    for (const child of children.alive) child.exit(0);
    await settle();
    expect(existsSync(statusSocket)).toBe(false);
    rmSync(folder, { recursive: true });
  });
});
